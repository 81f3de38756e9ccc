#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""mini_plc.py - a small in-memory PLC directory for local tests.

NOT an independent implementation: it is our own. It only has the endpoints that a
client, millipds or arroba needs, but it verifies what a real directory verifies on
the linear path: DID = hash of genesis op, ECDSA (P-256 / K-256, low-S) signature by
one of the rotation keys of the previous op, `prev` CID chain.
Left out: recovery forks (nullification in the 72h window), rate limits, undoing
tombstones, /export/stream.

Endpoints: POST /{did}; GET /_health, /{did}, /{did}/data, /{did}/log,
/{did}/log/audit, /{did}/log/last, /export.
Needs: python >= 3.9, `cryptography` only.

    mini_plc.py [--port 2582] [--host 127.0.0.1]
"""
import argparse, base64, hashlib, json, re, struct, threading
from datetime import datetime, timezone
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.asymmetric.utils import encode_dss_signature

B58 = '123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz'
ORDER = {'p256': 0xFFFFFFFF00000000FFFFFFFFFFFFFFFFBCE6FAADA7179E84F3B9CAC2FC632551,
         'k256': 0xFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFEBAAEDCE6AF48A03BBFD25E8CD0364141}


def cbor(v):  # the DAG-CBOR subset that a PLC operation uses
    def head(major, n):
        if n < 24: return bytes([major << 5 | n])
        for extra, fmt in ((24, '>B'), (25, '>H'), (26, '>I'), (27, '>Q')):
            if n < 1 << (8 * struct.calcsize(fmt)):
                return bytes([major << 5 | extra]) + struct.pack(fmt, n)
    if v is None: return b'\xf6'
    if v is True: return b'\xf5'
    if v is False: return b'\xf4'
    if isinstance(v, int): return head(0, v) if v >= 0 else head(1, -1 - v)
    if isinstance(v, str): b = v.encode(); return head(3, len(b)) + b
    if isinstance(v, list): return head(4, len(v)) + b''.join(map(cbor, v))
    if isinstance(v, dict):
        keys = sorted(v, key=lambda k: (len(k.encode()), k.encode()))
        return head(5, len(v)) + b''.join(cbor(k) + cbor(v[k]) for k in keys)
    raise ValueError(f'no DAG-CBOR for {type(v)}')


def b58decode(s):
    n = 0
    for c in s: n = n * 58 + B58.index(c)
    return b'\0' * (len(s) - len(s.lstrip('1'))) + n.to_bytes((n.bit_length() + 7) // 8, 'big')


def cid_of(op):
    d = b'\x01\x71\x12\x20' + hashlib.sha256(cbor(op)).digest()
    return 'b' + base64.b32encode(d).decode().lower().rstrip('=')


def did_of(op):
    return 'did:plc:' + base64.b32encode(hashlib.sha256(cbor(op)).digest()).decode().lower()[:24]


def parse_did_key(k):
    if not k.startswith('did:key:z'): raise ValueError(f'bad did:key {k}')
    raw = b58decode(k[len('did:key:z'):])
    if raw[:2] == b'\x80\x24': return 'p256', ec.EllipticCurvePublicKey.from_encoded_point(ec.SECP256R1(), raw[2:])
    if raw[:2] == b'\xe7\x01': return 'k256', ec.EllipticCurvePublicKey.from_encoded_point(ec.SECP256K1(), raw[2:])
    raise ValueError(f'unsupported key type {k}')


def check_sig(op, keys):
    sig64 = op['sig']
    if '=' in sig64 or re.search(r'[^A-Za-z0-9_-]', sig64): raise ValueError('Invalid signature encoding')
    sig = base64.urlsafe_b64decode(sig64 + '=' * (-len(sig64) % 4))
    if len(sig) != 64: raise ValueError('Invalid signature length')
    r, s = int.from_bytes(sig[:32], 'big'), int.from_bytes(sig[32:], 'big')
    data = cbor({k: v for k, v in op.items() if k != 'sig'})
    for k in keys:
        curve, pub = parse_did_key(k)
        if s > ORDER[curve] // 2: continue
        try:
            pub.verify(encode_dss_signature(r, s), data, ec.ECDSA(hashes.SHA256()))
            return
        except InvalidSignature:
            pass
    raise ValueError(f'Invalid signature on op: {json.dumps(op)}')


def rotation_keys(op):
    return [op['recoveryKey'], op['signingKey']] if op['type'] == 'create' else op['rotationKeys']


def to_data(did, op):
    if op['type'] == 'plc_tombstone': return None
    if op['type'] == 'create':  # legacy genesis
        pds = op['service'] if op['service'].startswith('http') else 'https://' + op['service']
        return {'did': did, 'verificationMethods': {'atproto': op['signingKey']},
                'rotationKeys': rotation_keys(op), 'alsoKnownAs': ['at://' + op['handle']],
                'services': {'atproto_pds': {'type': 'AtprotoPersonalDataServer', 'endpoint': pds}}}
    return {'did': did, **{k: op[k] for k in ('verificationMethods', 'rotationKeys', 'alsoKnownAs', 'services')}}


def to_doc(d):
    did, ctx, vms = d['did'], ['https://www.w3.org/ns/did/v1', 'https://w3id.org/security/multikey/v1'], []
    for name, key in d['verificationMethods'].items():
        suite = {'p256': 'ecdsa-2019', 'k256': 'secp256k1-2019'}[parse_did_key(key)[0]]
        if (c := f'https://w3id.org/security/suites/{suite}/v1') not in ctx: ctx.append(c)
        vms.append({'id': f'{did}#{name}', 'type': 'Multikey', 'controller': did,
                    'publicKeyMultibase': key[len('did:key:'):]})
    return {'@context': ctx, 'id': did, 'alsoKnownAs': d['alsoKnownAs'], 'verificationMethod': vms,
            'service': [{'id': f'#{k}', 'type': s['type'], 'serviceEndpoint': s['endpoint']}
                        for k, s in d['services'].items()]}


class Directory:
    def __init__(self): self.logs, self.export, self.lock = {}, [], threading.Lock()

    def add(self, did, op):
        if not isinstance(op, dict) or op.get('type') not in ('plc_operation', 'plc_tombstone', 'create') or 'sig' not in op:
            raise ValueError(f'Not a valid operation: {json.dumps(op)}')
        if len(cbor(op)) > 4000: raise ValueError('Operation too large (4000 bytes maximum in cbor encoding)')
        with self.lock:
            log = self.logs.get(did)
            if log is None:
                if op.get('prev') is not None: raise ValueError('Invalid first operation')
                if did_of(op) != did: raise ValueError(f'Hash of genesis operation does not match DID identifier: {did_of(op)}')
                check_sig(op, rotation_keys(op))
            else:
                last = log[-1]
                if op.get('prev') != last['cid']: raise ValueError('Operations not correctly ordered (mini_plc: no recovery forks)')
                if last['operation']['type'] == 'plc_tombstone': raise ValueError('DID is tombstoned')
                check_sig(op, rotation_keys(last['operation']))
            now = datetime.now(timezone.utc).isoformat(timespec='milliseconds').replace('+00:00', 'Z')
            entry = {'did': did, 'operation': op, 'cid': cid_of(op), 'nullified': False, 'createdAt': now}
            self.logs.setdefault(did, []).append(entry)
            self.export.append(entry)


class Handler(BaseHTTPRequestHandler):
    protocol_version = 'HTTP/1.1'
    dir = Directory()

    def reply(self, status, obj, ctype='application/json; charset=utf-8'):
        body = obj if isinstance(obj, bytes) else json.dumps(obj).encode()
        self.send_response(status)
        self.send_header('Content-Type', ctype)
        self.send_header('Content-Length', str(len(body)))
        self.end_headers()
        if self.command != 'HEAD': self.wfile.write(body)

    def do_GET(self):
        path = self.path.partition('?')[0].replace('%3A', ':').strip('/')
        if path == '_health': return self.reply(200, {'version': 'mini_plc'})
        if path == 'export':
            return self.reply(200, '\n'.join(json.dumps(e) for e in self.dir.export).encode(), 'application/jsonlines')
        did, _, sub = path.partition('/')
        log = self.dir.logs.get(did)
        if not log: return self.reply(404, {'message': f'DID not registered: {did}'})
        data = to_data(did, log[-1]['operation'])
        if sub in ('', 'data') and data is None: return self.reply(404, {'message': f'DID not available: {did}'})
        if sub == '': return self.reply(200, to_doc(data), 'application/did+ld+json; charset=utf-8')
        if sub == 'data': return self.reply(200, data)
        if sub == 'log': return self.reply(200, [e['operation'] for e in log])
        if sub == 'log/audit': return self.reply(200, log)
        if sub == 'log/last': return self.reply(200, log[-1]['operation'])
        self.reply(404, {'message': 'not found'})

    do_HEAD = do_GET

    def do_POST(self):
        try:
            op = json.loads(self.rfile.read(int(self.headers.get('Content-Length') or 0)))
            self.dir.add(self.path.replace('%3A', ':').strip('/'), op)
        except Exception as e:
            return self.reply(400, {'message': str(e)})
        self.reply(200, b'OK', 'text/plain')

    def log_message(self, *a): pass


if __name__ == '__main__':
    p = argparse.ArgumentParser()
    p.add_argument('--port', type=int, default=2582)
    p.add_argument('--host', default='127.0.0.1')
    a = p.parse_args()
    srv = ThreadingHTTPServer((a.host, a.port), Handler)
    print(f'mini_plc on http://{a.host}:{srv.server_port}', flush=True)
    srv.serve_forever()
