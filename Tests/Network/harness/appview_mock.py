#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""appview_mock.py - an AppView for relationship calls, fed by the firehose of local PDSes.

The indexing is our own, so it is a mock; but its input and output are checked by code
and data that we did not write:
  * lexrpc.Server validates every request's parameters + input and every response against
    the official lexicons it bundles; an invalid response becomes HTTP 400/500, so the mock
    cannot drift from the lexicons;
  * the firehose is read with MarshalX's atproto SDK (frames, CARs, record models);
  * the viewer comes from the PDS's service-auth JWT, verified with MarshalX's verify_jwt
    against the key in the DID document that the PLC directory serves.

    appview_mock.py --port 8200 --plc http://127.0.0.1:8124 --pds http://127.0.0.1:8123 [--pds ...]
                    [--synth alice.test:2500]   2500 synthetic actors follow alice.test
                    [--mutual alice.test:300]   alice.test also "follows" 300 of them (index only)
                    [--short-pages]             filtered pages, like production: fewer than limit, even empty

GET /_health answers 200 once every account and every synthetic actor is indexed, 503 before.
"""
import argparse, base64, hashlib, json, logging, os, sys, threading, time, urllib.parse, urllib.request
from datetime import datetime, timezone

p = argparse.ArgumentParser()
p.add_argument('--port', type=int, default=8200)
p.add_argument('--host', default='127.0.0.1')
p.add_argument('--did', default='did:web:api.bsky.app')
p.add_argument('--plc')
p.add_argument('--pds', action='append', default=[])
p.add_argument('--synth', action='append', default=[])
p.add_argument('--mutual', action='append', default=[])
p.add_argument('--short-pages', action='store_true')
a = p.parse_args()
logging.basicConfig(level=os.environ.get('APPVIEW_LOG', 'WARNING'), stream=sys.stderr)

from flask import Flask, request
from lexrpc.base import XrpcError
from lexrpc.server import Server
from lexrpc.flask_server import init_flask
from atproto import CAR, FirehoseSubscribeReposClient, models, parse_subscribe_repos_message
from atproto_server.auth.jwt import verify_jwt

lock = threading.RLock()
actors, by_handle, profiles = {}, {}, {}     # did -> {handle, ...}
records = {}                                 # at-uri -> (did, collection, cid, value, indexedAt)
edges = {'follow': {}, 'block': {}, 'listblock': {}}   # kind -> {(src, dst): uri}
out, inn = {k: {} for k in edges}, {k: {} for k in edges}  # kind -> did -> {uri: other}
members = {}                                 # list uri -> {listitem uri: subject}
muted, muted_lists = {}, {}
seqs = {}
seeded = threading.Event()

def now(): return datetime.now(timezone.utc).isoformat(timespec='milliseconds').replace('+00:00', 'Z')
def fetch(u): return json.load(urllib.request.urlopen(u, timeout=10))
def add_actor(did, handle):
    actors[did] = {'did': did, 'handle': handle, 'createdAt': now()}; by_handle[handle] = did
def drop(uri):
    rec = records.pop(uri, None)
    if not rec: return
    for kind in edges:
        if rec[1] == 'app.bsky.graph.' + kind and (dst := rec[3].get('subject')):
            out[kind].get(rec[0], {}).pop(uri, None); inn[kind].get(dst, {}).pop(uri, None)
            if edges[kind].get((rec[0], dst)) == uri: del edges[kind][rec[0], dst]
    if rec[1] == 'app.bsky.graph.listitem': members.get(rec[3].get('list'), {}).pop(uri, None)
    if rec[1] == 'app.bsky.actor.profile': profiles.pop(rec[0], None)
def put(did, collection, rkey, cid, value):
    uri = f'at://{did}/{collection}/{rkey}'
    drop(uri)
    records[uri] = (did, collection, cid, value, now())
    for kind in edges:
        if collection == 'app.bsky.graph.' + kind and isinstance(dst := value.get('subject'), str):
            edges[kind].setdefault((did, dst), uri)   # a second record for the same pair does not count twice
            out[kind].setdefault(did, {})[uri] = dst; inn[kind].setdefault(dst, {})[uri] = did
    if collection == 'app.bsky.graph.listitem': members.setdefault(value['list'], {})[uri] = value['subject']
    if collection == 'app.bsky.actor.profile': profiles[did] = value
def by_list(src, dst):
    """The first modlist that src blocks and dst is on. Production answers the LIST's uri here."""
    return next((u for u in out['listblock'].get(src, {}).values() if dst in members.get(u, {}).values()), None)

def follow_pds(pds):
    for r in fetch(pds + '/xrpc/com.atproto.sync.listRepos')['repos']:
        with lock: add_actor(r['did'], fetch(f'{pds}/xrpc/com.atproto.repo.describeRepo?repo={r["did"]}')['handle'])
    def on_message(frame):
        msg = parse_subscribe_repos_message(frame)
        with lock:
            seqs[pds] = getattr(msg, 'seq', None)
            if isinstance(msg, models.ComAtprotoSyncSubscribeRepos.Identity) and msg.handle:
                if old := actors.get(msg.did): by_handle.pop(old['handle'], None)
                add_actor(msg.did, msg.handle)
            if not isinstance(msg, models.ComAtprotoSyncSubscribeRepos.Commit): return
            blocks = CAR.from_bytes(msg.blocks).blocks if msg.blocks else {}
            for op in msg.ops:
                collection, rkey = op.path.split('/', 1)
                if op.action == 'delete': drop(f'at://{msg.repo}/{op.path}')
                elif (value := blocks.get(op.cid)) is not None: put(msg.repo, collection, rkey, str(op.cid), value)
    ws = pds.replace('http', 'ws', 1) + '/xrpc'
    # no receive timeout: after 30 quiet seconds the SDK would disconnect, and back off longer each time
    FirehoseSubscribeReposClient(models.ComAtprotoSyncSubscribeRepos.Params(cursor=0), base_uri=ws, recv_timeout=None).start(
        on_message, lambda e: logging.exception('firehose', exc_info=e))

def synth(n, k, follows=None, followed_by=None):
    cid = 'bafyreie5737gdxlw5i64vzichcalba3z2v5n6icifvx5xytvske7mr3hpm'
    for i in range(n):
        did = 'did:plc:' + hashlib.sha256(f'synth{i}'.encode()).hexdigest()[:24].translate(str.maketrans('0189', 'wxyz'))
        if did not in actors: add_actor(did, f'synth{i}.test')
        if follows: put(did, 'app.bsky.graph.follow', f'3synt{"hijk"[k]}{i:07d}'.translate(str.maketrans('0189', 'wxyz')), cid, {'subject': follows})
        if followed_by: put(followed_by, 'app.bsky.graph.follow', f'3mutua{i:07d}'.translate(str.maketrans('0189', 'wxyz')), cid, {'subject': did})

# ---- auth
def signing_key(did, fresh):
    for vm in fetch(f'{a.plc}/{did}')['verificationMethod']:
        if vm['id'].endswith('#atproto'): return 'did:key:' + vm['publicKeyMultibase']
def low_s(jwt):
    # MarshalX refuses high-S; the reference AppView (xrpc-server/src/auth.ts) accepts malleable JWT
    # signatures, and half of the signatures of millipds are high-S
    head, body, sig = jwt.split('.')
    order = {'ES256': 0xFFFFFFFF00000000FFFFFFFFFFFFFFFFBCE6FAADA7179E84F3B9CAC2FC632551,
             'ES256K': 0xFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFEBAAEDCE6AF48A03BBFD25E8CD0364141}[json.loads(b64(head))['alg']]
    raw = b64(sig); s = int.from_bytes(raw[32:], 'big')
    raw = raw[:32] + min(s, order - s).to_bytes(32, 'big')
    return f'{head}.{body}.' + base64.urlsafe_b64encode(raw).rstrip(b'=').decode()
def b64(x): return base64.urlsafe_b64decode(x + '=' * (-len(x) % 4))
def viewer():
    auth = request.headers.get('Authorization', '')
    if not auth: return None
    try:
        c = verify_jwt(low_s(auth.removeprefix('Bearer ')), signing_key, a.did)
    except Exception as e:
        raise XrpcError(f'{type(e).__name__}: {e}', name='BadJwt', status=401)
    lxm = request.path.rsplit('/', 1)[1]
    if getattr(c, 'lxm', None) not in (None, lxm):
        raise XrpcError(f'bad jwt lexicon method ("lxm"). must match: {lxm}', name='BadJwtLexiconMethod', status=401)
    return c.iss
def need_viewer():
    if not (v := viewer()): raise XrpcError('Authentication Required', name='AuthMissing', status=401)
    return v

# ---- views
def resolve(actor, error='InvalidRequest', msg='Profile not found'):
    did = actor if actor in actors else by_handle.get(actor.lower())
    if not did: raise XrpcError(msg, name=error)
    return did
def mute_state(v, did):
    on_list = next((u for u in muted_lists.get(v, ()) if u in records and did in members.get(u, {}).values()), None)
    scope = muted.get(v, {}).get(did)
    s = {'muted': scope == 'everything' or on_list is not None}
    if on_list: s['mutedByList'] = list_view_basic(on_list)
    elif scope not in (None, 'everything'): s[scope] = True   # exclusive with muted
    return s
def viewer_state(v, did):
    s = {**mute_state(v, did), 'blockedBy': bool((did, v) in edges['block'] or by_list(did, v))}
    if u := edges['block'].get((v, did)) or by_list(v, did): s['blocking'] = u   # may be a LIST uri, as in production
    if u := by_list(v, did): s['blockingByList'] = list_view_basic(u)
    if not s['blockedBy'] and 'blocking' not in s:
        if u := edges['follow'].get((v, did)): s['following'] = u
        if u := edges['follow'].get((did, v)): s['followedBy'] = u
    return s
def view(did, v, detailed=False):
    r = dict(actors[did]); prof = profiles.get(did, {})
    r.update({k: prof[k] for k in ('displayName', 'description') if k in prof})
    if detailed:
        r.update(followersCount=len(set(inn['follow'].get(did, {}).values())), followsCount=len(set(out['follow'].get(did, {}).values())), postsCount=0)
    if v: r['viewer'] = viewer_state(v, did)
    return r
def page(items, limit, cursor):
    """items: oldest first; cursor: opaque"""
    limit = 50 if limit is None else limit
    start = int(cursor) if cursor and cursor.isdigit() else 0
    items = list(reversed(list(items)))
    chunk = items[start:start + limit]
    nxt = {'cursor': str(start + limit)} if start + limit < len(items) else {}
    if a.short_pages:
        chunk = [] if (start // limit) % 4 == 3 else [x for i, x in enumerate(chunk) if i % 10]
    return chunk, nxt
def list_view(uri, v):
    did, _, cid, value, at = records[uri]
    return {'uri': uri, 'cid': cid, 'creator': view(did, v), 'name': value['name'], 'purpose': value['purpose'],
            'listItemCount': sum(1 for r in records.values() if r[1] == 'app.bsky.graph.listitem' and r[3].get('list') == uri),
            'indexedAt': at, **({'viewer': {'muted': uri in muted_lists.get(v, ())}} if v else {})}

def list_view_basic(uri):
    _, _, cid, value, at = records[uri]
    return {'uri': uri, 'cid': cid, 'name': value['name'], 'purpose': value['purpose'], 'indexedAt': at}

server = Server(validate=True)
def method(nsid):
    def deco(fn):
        def run(*args, **kw):
            with lock: return fn(*args, **kw)
        server.register(nsid, run); return fn
    return deco
def hidden(v, did): return v and ((v, did) in edges['block'] or (did, v) in edges['block'] or by_list(v, did) or by_list(did, v))

@method('app.bsky.actor.getProfile')
def get_profile(input, actor=None): return view(resolve(actor), viewer(), True)
@method('app.bsky.actor.getProfiles')
def get_profiles(input, actors=()):
    v = viewer(); dids = [globals()['actors'].get(x, {}).get('did') or by_handle.get(x.lower()) for x in actors]
    return {'profiles': [view(d, v, True) for d in dids if d]}
@method('app.bsky.actor.searchActors')
def search_actors(input, q='', term='', limit=None, cursor=None):
    v = viewer(); hits, nxt = page([d for d, x in actors.items() if (q or term).lower() in x['handle']], limit, cursor)
    return {'actors': [view(d, v) for d in hits], **nxt}
def graph(which, key):
    def run(input, actor=None, limit=None, cursor=None, sort=None):
        v, did = viewer(), resolve(actor, msg='Actor not found: ' + actor)
        seen = dict.fromkeys(which['follow'].get(did, {}).values())
        chunk, nxt = page([d for d in seen if d in actors and not hidden(v, d)], limit, cursor)
        return {'subject': view(did, v), key: [view(d, v) for d in chunk], **nxt}
    return run
method('app.bsky.graph.getFollows')(graph(out, 'follows'))
method('app.bsky.graph.getFollowers')(graph(inn, 'followers'))
@method('app.bsky.graph.getKnownFollowers')
def known(input, actor=None, limit=None, cursor=None):
    v, did = need_viewer(), resolve(actor)
    mine = set(out['follow'].get(v, {}).values())
    chunk, nxt = page([d for d in dict.fromkeys(inn['follow'].get(did, {}).values()) if d in mine and d in actors], limit, cursor)
    return {'subject': view(did, v), 'followers': [view(d, v) for d in chunk], **nxt}
@method('app.bsky.graph.getRelationships')
def relationships(input, actor=None, others=()):
    """As in production: an unresolvable actor returns HTTP 200 with every target notFound, handles among
    `others` are not resolved, any well-formed DID is a `relationship` even if it was never registered,
    the actor itself is a bare {did}, and follows show despite blocks."""
    did, rels = actors.get(actor, {}).get('did') or by_handle.get(actor.lower()), []
    for o in others:
        if not did or not o.startswith('did:'):
            rels.append({'$type': 'app.bsky.graph.defs#notFoundActor', 'actor': o, 'notFound': True}); continue
        r = {'$type': 'app.bsky.graph.defs#relationship', 'did': o}
        if o != did:
            for kind, mine, theirs in (('follow', 'following', 'followedBy'), ('block', 'blocking', 'blockedBy')):
                if u := edges[kind].get((did, o)): r[mine] = u
                if u := edges[kind].get((o, did)): r[theirs] = u
            if u := by_list(did, o): r['blockingByList'] = u
            if u := by_list(o, did): r['blockedByList'] = u
        rels.append(r)
    return {**({'actor': did} if did else {}), 'relationships': rels}
@method('app.bsky.graph.getBlocks')
def blocks(input, limit=None, cursor=None):
    v = need_viewer(); chunk, nxt = page([d for d in dict.fromkeys(out['block'].get(v, {}).values()) if d in actors], limit, cursor)
    return {'blocks': [view(d, v) for d in chunk], **nxt}
@method('app.bsky.graph.getMutes')
def mutes(input, limit=None, cursor=None):
    v = need_viewer()   # scoped mutes are left out
    chunk, nxt = page([d for d, scope in muted.get(v, {}).items() if scope == 'everything'], limit, cursor)
    return {'mutes': [view(d, v) for d in chunk], **nxt}
@method('app.bsky.graph.muteActor')
def mute(input):
    v = need_viewer(); did = resolve(input['actor'], msg='Actor not found')
    if did == v: raise XrpcError('Cannot mute oneself', name='InvalidRequest')
    muted.setdefault(v, {})[did] = next(   # in place of whatever mute there was
        (scope for asked, scope in (('onlyReposts', 'mutedOnlyReposts'), ('onlyQuoteposts', 'mutedOnlyQuoteposts'))
         if input.get(asked)), 'everything')
@method('app.bsky.graph.unmuteActor')
def unmute(input):
    v = need_viewer(); muted.get(v, {}).pop(resolve(input['actor']), None)
@method('app.bsky.graph.getLists')
def lists(input, actor=None, limit=None, cursor=None, purposes=None):
    v, did = viewer(), resolve(actor)
    chunk, nxt = page([u for u, r in records.items() if r[0] == did and r[1] == 'app.bsky.graph.list'], limit, cursor)
    return {'lists': [list_view(u, v) for u in chunk], **nxt}
@method('app.bsky.graph.getList')
def get_list(input, list=None, limit=None, cursor=None):
    v = viewer()
    if list not in records: raise XrpcError('List not found', name='InvalidRequest')
    items, nxt = page([u for u, r in records.items() if r[1] == 'app.bsky.graph.listitem' and r[3].get('list') == list and r[3]['subject'] in actors], limit, cursor)
    return {'list': list_view(list, v), 'items': [{'uri': u, 'subject': view(records[u][3]['subject'], v)} for u in items], **nxt}
@method('app.bsky.graph.muteActorList')
def mute_list(input): muted_lists.setdefault(need_viewer(), {})[input['list']] = 1
@method('app.bsky.graph.unmuteActorList')
def unmute_list(input): muted_lists.get(need_viewer(), {}).pop(input['list'], None)
@method('app.bsky.graph.getListMutes')
def list_mutes(input, limit=None, cursor=None):
    v = need_viewer(); chunk, nxt = page([u for u in muted_lists.get(v, {}) if u in records], limit, cursor)
    return {'lists': [list_view(u, v) for u in chunk], **nxt}
@method('app.bsky.graph.getListBlocks')
def list_blocks(input, limit=None, cursor=None):
    v = need_viewer(); chunk, nxt = page([u for u in out['listblock'].get(v, {}).values() if u in records], limit, cursor)
    return {'lists': [list_view(u, v) for u in chunk], **nxt}
@method('com.atproto.identity.resolveHandle')
def resolve_handle(input, handle=None): return {'did': resolve(handle, 'HandleNotFound', 'Unable to resolve handle')}

@method('com.atproto.repo.getRecord')   # millipds asks its AppView for every record it does not have
def get_record(input, repo=None, collection=None, rkey=None, cid=None):
    uri = f'at://{by_handle.get(repo, repo)}/{collection}/{rkey}'
    if uri not in records: raise XrpcError(f'Could not locate record: {uri}', name='RecordNotFound')
    return {'uri': uri, 'cid': records[uri][2], 'value': records[uri][3]}

app = Flask('appview-mock')
init_flask(server, app)
@app.get('/_health')
def health():
    state = {'version': 'appview_mock', 'actors': len(actors), 'records': len(records), 'seqs': seqs}
    return state, 200 if seeded.is_set() else 503
@app.get('/.well-known/did.json')
def did_doc(): return {'id': a.did, 'service': [{'id': '#bsky_appview', 'type': 'BskyAppView', 'serviceEndpoint': f'http://{a.host}:{a.port}'}]}
@app.after_request
def fix(resp):  # procedures without output (muteActor): lexrpc answers a JSON "" body; the reference answers none
    nsid = request.path.rsplit('/', 1)[-1]
    if resp.status_code == 200 and nsid in server.defs and 'output' not in server.defs[nsid]: resp.set_data(b''); resp.headers.pop('Content-Type', None)
    return resp

def seed():
    for k, spec, kw in [(k, s, 'follows') for k, s in enumerate(a.synth)] + [(0, s, 'followed_by') for s in a.mutual]:
        handle, n = spec.split(':')
        while handle not in by_handle: time.sleep(0.1)
        with lock: synth(int(n), k, **{kw: by_handle[handle]})
    while not all(pds in seqs for pds in a.pds): time.sleep(0.1)   # the firehose has begun to tell of the accounts
    seeded.set()
def on_start():
    for pds in a.pds: threading.Thread(target=follow_pds, args=(pds,), daemon=True).start()
    threading.Thread(target=seed, daemon=True).start()
def announce():
    print(json.dumps({'server': 'appview_mock', 'url': f'http://{a.host}:{a.port}', 'did': a.did, 'pid': os.getpid(), 'methods': sorted(server._methods)}), flush=True)
from wsgi_serve import serve
serve(app, a.host, a.port, on_start, announce)
