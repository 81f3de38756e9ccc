#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs arroba (PyPI) as a multi-account PDS on loopback, in memory.

arroba provides: repo/MST/commit/signature, lexicon validation of every input, output and
record (lexrpc + the official lexicons it bundles), com.atproto.repo.*, .sync.* and the
firehose, DID/PLC operations, service proxying.
This file adds what arroba leaves to its host application: accounts, sessions (JWT) and
local handle resolution. It also maps names to loopback (PLC directory, AppView).

Prints one JSON line on stdout once it listens.
"""
import argparse, json, logging, os, secrets, sys, threading, time, urllib.parse

p = argparse.ArgumentParser()
p.add_argument('--port', type=int, required=True)
p.add_argument('--host', default='127.0.0.1')
p.add_argument('--account', action='append', default=[], metavar='HANDLE:PASSWORD')
p.add_argument('--public-url', help='URL that clients use; default http://HOST:PORT')
p.add_argument('--plc-url', help='PLC directory; without it DIDs are valid but registered nowhere')
p.add_argument('--appview-url', default='http://127.0.0.1:1')
p.add_argument('--appview-did', default='did:web:api.bsky.app')
p.add_argument('--access-exp', type=int, default=7200)
p.add_argument('--map', action='append', default=[], metavar='HTTPS_PREFIX=URL', help='redirect outgoing requests')
a = p.parse_args()
url = a.public_url or f'http://{a.host}:{a.port}'
netloc = urllib.parse.urlsplit(url).netloc
appview_host = a.appview_did.removeprefix('did:web:')

# arroba reads these on import; it must never reach the real network
os.environ.update(PDS_HOST=netloc, PLC_HOST='plc.test', APPVIEW_HOST=appview_host, RELAY_HOST='relay.test')
os.environ.pop('REPO_TOKEN', None)
logging.basicConfig(level=os.environ.get('ARROBA_LOG', 'INFO'), stream=sys.stderr)

import jwt, requests
from flask import Flask, request
from lexrpc.base import XrpcError
from lexrpc.flask_server import init_flask
import webutil.util
from arroba import did as did_mod, firehose, server, storage as storage_mod, util
from arroba.repo import Repo

# --- outgoing HTTP: arroba speaks https to names only and refuses private IPs; map names to loopback
plain = requests.Session()
service_doc = {'id': a.appview_did, 'service': [
    {'id': '#bsky_appview', 'type': 'BskyAppView', 'serviceEndpoint': f'https://{appview_host}'}]}
route = {'https://plc.test': a.plc_url or 'http://127.0.0.1:1', f'https://{appview_host}': a.appview_url,
         **dict(m.split('=', 1) for m in a.map)}
def local_request(method, u, **kw):
    if u == f'https://{appview_host}/.well-known/did.json':
        r = requests.Response(); r.status_code = 200; r.url = u
        r._content = json.dumps(service_doc).encode(); r.headers['Content-Type'] = 'application/json'
        return r
    for prefix, target in route.items():
        if u.startswith(prefix):
            return plain.request(method, target + u[len(prefix):], **kw)
    raise requests.ConnectionError(f'no local route for {u}')
webutil.util.session.request = local_request

# --- accounts
mem = server.storage = storage_mod.MemoryStorage()
write_lock = threading.RLock()  # MemoryStorage is not thread safe
commit = mem.commit
mem.commit = lambda *x, **kw: locked(commit, *x, **kw)
def locked(fn, *x, **kw):
    with write_lock:
        return fn(*x, **kw)
def callback(data=None, lost_seq=None):
    if data: firehose.send_events()
    elif lost_seq: firehose.mark_seq_lost(lost_seq)

passwords, accounts, revoked, secret = {}, [], set(), secrets.token_hex(32)
for spec in a.account:
    handle, password = spec.split(':', 1)
    post = None if a.plc_url else (lambda u, **kw: type('R', (), {'content': b'', 'raise_for_status': lambda s: None})())
    plc = did_mod.create_plc(handle, pds_url=url, post_fn=post or webutil.util.session.post)
    Repo.create(mem, plc.did, handle=handle, signing_key=plc.signing_key, rotation_key=plc.rotation_key, callback=callback)
    passwords[plc.did] = password
    accounts.append({'handle': handle, 'did': plc.did, 'password': password,
                     'signingKey': did_mod.encode_did_key(plc.signing_key.public_key())})

# --- sessions
def tokens(did):
    now, jti = int(time.time()), secrets.token_hex(16)
    enc = lambda scope, exp: jwt.encode({'scope': scope, 'sub': did, 'aud': 'did:web:' + netloc, 'iat': now, 'exp': now + exp, 'jti': jti}, secret, 'HS256')
    return {'did': did, 'handle': mem.load_repo(did).handle, 'active': True,
            'accessJwt': enc('com.atproto.access', a.access_exp), 'refreshJwt': enc('com.atproto.refresh', 90 * 86400)}
def claims(scope):
    auth = request.headers.get('Authorization', '')
    if not auth.startswith('Bearer '):
        raise XrpcError('Authentication Required', name='AuthMissing', status=401)
    try:
        c = jwt.decode(auth[7:], secret, ['HS256'], audience='did:web:' + netloc)
    except jwt.ExpiredSignatureError:
        raise XrpcError('Token has expired', name='ExpiredToken', status=400)
    except jwt.PyJWTError:
        raise XrpcError('Token could not be verified', name='InvalidToken', status=400)
    if c['scope'] != scope or (scope, c['jti']) in revoked:
        raise XrpcError('Bad token scope' if c['scope'] != scope else 'Token has been revoked',
                        name='InvalidToken' if c['scope'] != scope else 'ExpiredToken', status=400)
    return c
server.authenticate = lambda: (claims('com.atproto.access')['sub'], server.ALL_SCOPES)
def method(nsid):
    return lambda fn: server.server.register(nsid, fn, override=True)

# xrpc_* modules register their methods on import
from arroba import xrpc_actor, xrpc_identity, xrpc_proxy, xrpc_repo, xrpc_server, xrpc_sync

@method('com.atproto.server.createSession')
def create_session(input):
    repo = mem.load_repo(input['identifier'].lstrip('@'))
    if not repo or passwords[repo.did] != input['password']:
        raise XrpcError('Invalid identifier or password', name='AuthenticationRequired', status=401)
    return tokens(repo.did)
@method('com.atproto.server.refreshSession')
def refresh_session(input):
    c = claims('com.atproto.refresh')
    revoked.add(('com.atproto.refresh', c['jti']))
    return tokens(c['sub'])
@method('com.atproto.server.deleteSession')
def delete_session(input):
    jti = claims('com.atproto.refresh')['jti']
    revoked.update({('com.atproto.refresh', jti), ('com.atproto.access', jti)})
@method('com.atproto.repo.deleteRecord')
def delete_record(input):
    # arroba 3.1 deletes, then answers 400: its handler returns None, which its own output
    # validation refuses.  Return the (optional) commit like the reference PDS.
    xrpc_repo.delete_record(input)
    head = mem.load_repo(input['repo']).head
    return {'commit': {'cid': head.cid.encode('base32'), 'rev': head.decoded['rev']}}
@method('com.atproto.server.getSession')
def get_session(input):
    did = claims('com.atproto.access')['sub']
    return {'did': did, 'handle': mem.load_repo(did).handle, 'active': True}
@method('com.atproto.server.describeServer')
def describe_server(input):
    return {'did': 'did:web:' + urllib.parse.quote(netloc), 'availableUserDomains': ['.test']}
@method('com.atproto.server.getServiceAuth')
def get_service_auth(input, aud=None, exp=None, lxm=None):
    did = claims('com.atproto.access')['sub']
    return {'token': util.service_jwt(netloc, did, mem.load_repo(did).signing_key, aud=aud, **({'lxm': lxm} if lxm else {}))}
@method('com.atproto.identity.resolveHandle')
def resolve_handle(input, handle=None):
    if not (repo := mem.load_repo(handle)):
        raise XrpcError('Unable to resolve handle', name='HandleNotFound')
    return {'did': repo.did}

app = Flask('arroba-local')
init_flask(server.server, app, fallback=xrpc_proxy.handler)

@app.after_request
def content_type(resp):  # lexrpc leaves Flask's text/html on CARs
    enc = server.server.defs.get(request.path.rsplit('/', 1)[-1], {}).get('output', {}).get('encoding', '')
    if resp.status_code == 200 and enc == 'application/vnd.ipld.car':
        resp.headers['Content-Type'] = enc
    return resp
@app.get('/xrpc/_health')
def health(): return {'version': 'arroba'}
@app.get('/.well-known/atproto-did')
def well_known():
    repo = mem.load_repo(request.host.split(':')[0])
    return (repo.did, 200, {'Content-Type': 'text/plain'}) if repo else ('not found', 404)

inner = app.wsgi_app
def wsgi(environ, start_response):  # like the reference PDS: app.bsky.* without a header goes to the AppView
    if environ['PATH_INFO'].startswith('/xrpc/app.bsky.'):
        environ.setdefault('HTTP_ATPROTO_PROXY', a.appview_did + '#bsky_appview')
    return inner(environ, start_response)
app.wsgi_app = wsgi

def announce():
    print(json.dumps({'server': 'arroba', 'pds': url, 'listen': f'http://{a.host}:{a.port}', 'pid': os.getpid(),
                      'plc': a.plc_url, 'accounts': accounts}), flush=True)
def start_firehose():
    firehose.start()
    threading.Thread(target=keep_collecting, daemon=True).start()
def keep_collecting():   # a call that comes while arroba's collector is busy is lost, and it would sleep for two minutes
    while True:
        time.sleep(0.1)
        firehose.send_events()
from wsgi_serve import serve
serve(app, a.host, a.port, on_start=start_firehose, announce=announce)
