#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""mini_jetstream.py - bridges local PDS firehoses to Jetstream's JSON websockets.

The wire format is that of the official server (v1 `/subscribe`, v2 `subscribeEvents`); `--replay FILE.jsonl`
serves lines recorded from a v1 server verbatim.

    mini_jetstream.py --port 6008 --pds http://127.0.0.1:8123 [--pds ...] [--dict zstd_dictionary]
    v1  ws://127.0.0.1:6008/subscribe?wantedCollections=app.bsky.graph.*&wantedDids=...&cursor=<us>
        &maxMessageSizeBytes=&requireHello=true&compress=true          + options_update messages
    v2  ws://127.0.0.1:6008/xrpc/network.bsky.jetstream.subscribeEvents?cursor=<seq|us>&kinds=&dids=&collections=
        subprotocol xrpc.v1.json, no compression
    --drop-after N   closes each connection after N events (reconnect tests)
"""
import argparse, asyncio, io, json, sys, threading, time, urllib.parse
from datetime import datetime, timezone
import dag_cbor, dag_json, zstandard
from carbox.car import read_car
from multiformats import CID
from websockets.asyncio.server import serve
from websockets.exceptions import ConnectionClosed
import websockets.sync.client

events, loop, cond = [], None, None   # events: dicts {seq, us, did, kind, collection, v1, v2}

def cid_str(c): return c.encode('base32') if isinstance(c, CID) else c
def jsonable(x): return json.loads(dag_json.encode(x, dialect='atproto'))

def translate(frame, us):
    """one firehose frame -> list of (kind, did, collection, v1 payload, v2 payload)"""
    s = io.BytesIO(frame); header = dag_cbor.decode(s, allow_concat=True); body = dag_cbor.decode(s)
    t = header.get('t')
    if header.get('op') != 1: return []
    if t == '#commit':
        by = {b.cid: b.data for b in read_car(body['blocks'])[1]} if body['blocks'] else {}
        out = []
        for op in body['ops']:
            collection, rkey = op['path'].split('/', 1)
            c = {'rev': body['rev'], 'operation': op['action'], 'collection': collection, 'rkey': rkey}
            if op['action'] != 'delete':
                if op['cid'] not in by: continue
                c |= {'record': jsonable(dag_cbor.decode(by[op['cid']])), 'cid': cid_str(op['cid'])}
            out.append(('commit', body['repo'], collection, {'commit': c}, c))
        return out
    if t in ('#identity', '#account', '#sync'):
        kind, obj = t[1:], jsonable(body)
        return [(kind, body['did'], None, {kind: obj}, {kind: obj})]
    return []

def add(frame):
    us = max(time.time_ns() // 1000, events[-1]['us'] + 1 if events else 0)
    for kind, did, coll, p1, p2 in translate(frame, us):
        seq = len(events) + 1
        iso = datetime.fromtimestamp(us / 1e6, timezone.utc).isoformat(timespec='microseconds').replace('+00:00', 'Z')
        v1 = None if kind == 'sync' else json.dumps({'did': did, 'time_us': us, 'kind': kind, **p1}, ensure_ascii=False, separators=(',', ':'))
        v2 = json.dumps({'$type': 'message', 'payload': {'$type': f'network.bsky.jetstream.subscribeEvents#{kind}',
                         'seq': seq, 'did': did, 'time': iso, **p2}}, ensure_ascii=False, separators=(',', ':'))
        events.append({'seq': seq, 'us': us, 'did': did, 'kind': kind, 'collection': coll, 'v1': v1, 'v2': v2})
        us += 1
    asyncio.run_coroutine_threadsafe(wake(), loop)
async def wake():
    async with cond: cond.notify_all()

def follow(pds):
    last = 0
    while True:
        try:
            with websockets.sync.client.connect(f'{pds.replace("http", "ws", 1)}/xrpc/com.atproto.sync.subscribeRepos?cursor={last}', max_size=None) as ws:
                for frame in ws:
                    add(frame)
                    s = io.BytesIO(frame); dag_cbor.decode(s, allow_concat=True); last = dag_cbor.decode(s).get('seq', last)
        except Exception as e: print(pds, type(e).__name__, e, file=sys.stderr)
        time.sleep(0.5)

class Options:
    def __init__(self, collections, dids, size):
        if len(collections) > 100: raise ValueError('too many wanted collections')
        if len(dids) > 10000: raise ValueError('too many wanted DIDs')
        self.exact = {c for c in collections if not c.endswith('.*')}; self.prefix = tuple(c[:-1] for c in collections if c.endswith('.*'))
        for c in self.exact:
            if c.count('.') < 2: raise ValueError(f'invalid collection: {c}')
        self.dids, self.size, self.any = set(dids), max(0, size), not collections
    def want(self, e, text):
        if self.dids and e['did'] not in self.dids: return False
        if e['kind'] == 'commit' and not self.any and not (e['collection'] in self.exact or (self.prefix and e['collection'].startswith(self.prefix))): return False
        return not self.size or len(text.encode()) <= self.size

def query(request): return urllib.parse.parse_qs(urllib.parse.urlsplit(request.path).query)
def options_of(path, q):
    if path == '/subscribe': return Options(q.get('wantedCollections', []), q.get('wantedDids', []), int(q.get('maxMessageSizeBytes', ['0'])[0]))
    o = Options(q.get('collections', []), q.get('dids', []), int(q.get('maxMessageSizeBytes', ['0'])[0])); o.kinds = set(q.get('kinds', []))
    return o
def process_request(conn, request):
    path = urllib.parse.urlsplit(request.path).path
    if path == '/_health': return conn.respond(200, json.dumps({'events': len(events)}))
    if path not in ('/subscribe', '/xrpc/network.bsky.jetstream.subscribeEvents'): return conn.respond(404, 'not found')
    try: options_of(path, query(request)); int(query(request).get('cursor', ['0'])[0])
    except ValueError as e: return conn.respond(400, str(e))

async def handler(ws):
    path, q = urllib.parse.urlsplit(ws.request.path).path, query(ws.request)
    v1 = path == '/subscribe'; key = 'v1' if v1 else 'v2'; state = {'o': options_of(path, q)}
    hello = asyncio.Event()
    compress = v1 and a.dict and (q.get('compress') == ['true'] or 'zstd' in ws.request.headers.get('Socket-Encoding', ''))
    enc = zstandard.ZstdCompressor(dict_data=zstandard.ZstdCompressionDict(open(a.dict, 'rb').read())) if compress else None
    if q.get('requireHello') != ['true']: hello.set()
    async def reader():
        async for m in ws:
            try:
                d = json.loads(m)
                if d.get('type') == 'options_update':
                    p = d['payload']; state['o'] = Options(p.get('wantedCollections') or [], p.get('wantedDids') or [], p.get('maxMessageSizeBytes') or 0); hello.set()
            except Exception as e: await ws.close(1003, str(e)[:100])
    task = asyncio.create_task(reader())
    try:
        await hello.wait()
        i, sent = len(events), 0
        if 'cursor' in q:
            c = int(q['cursor'][0])
            if v1 or c >= 10**15: i = next((k for k, e in enumerate(events) if e['us'] >= c), len(events))
            else: i = min(max(c, 1) - 1, len(events))
        while True:
            while i < len(events):
                e = events[i]; i += 1; text = e[key]
                if text is None or not state['o'].want(e, text) or (not v1 and state['o'].kinds and e['kind'] not in state['o'].kinds): continue
                await ws.send(enc.compress(text.encode()) if enc else text); sent += 1
                if a.delay: await asyncio.sleep(a.delay)
                if a.drop_after and sent >= a.drop_after: return await ws.close(1001)
            async with cond:
                if i >= len(events): await cond.wait()
    except ConnectionClosed: pass
    finally: task.cancel()

async def main():
    global loop, cond
    loop, cond = asyncio.get_running_loop(), asyncio.Condition()
    if a.replay:
        for line in open(a.replay):
            e = json.loads(line); events.append({'seq': len(events) + 1, 'us': e['time_us'], 'did': e['did'], 'kind': e['kind'], 'collection': e.get('commit', {}).get('collection'), 'v1': line.rstrip('\n'), 'v2': None})
    for pds in a.pds: threading.Thread(target=follow, args=(pds.rstrip('/'),), daemon=True).start()
    async with serve(handler, a.host, a.port, process_request=process_request, subprotocols=['xrpc.v1.json'],
                     select_subprotocol=lambda c, offered: 'xrpc.v1.json' if 'xrpc.v1.json' in offered else None, compression=None):
        print(json.dumps({'server': 'mini_jetstream', 'v1': f'ws://{a.host}:{a.port}/subscribe', 'v2': f'ws://{a.host}:{a.port}/xrpc'}), flush=True)
        await asyncio.get_running_loop().create_future()

p = argparse.ArgumentParser()
p.add_argument('--port', type=int, default=6008); p.add_argument('--host', default='127.0.0.1')
p.add_argument('--pds', action='append', default=[]); p.add_argument('--replay'); p.add_argument('--dict')
p.add_argument('--drop-after', type=int, default=0); p.add_argument('--delay', type=float, default=0)
a = p.parse_args()
asyncio.run(main())
