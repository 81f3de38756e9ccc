#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""record_reader.py - returns the records of accounts, read by MarshalX's atproto SDK, which is not part of Kith.

It is a server because the SDK takes seconds to import.

    record_reader.py --port 8405 --pds http://127.0.0.1:8400

GET /records?repo=DID&collection=NSID           all records, each once; `isValid`: the SDK has a model of the collection
                                                and accepts the record
GET /mutes?identifier=…&password=…              the accounts that it mutes: getMutes, through its PDS
GET /list-mutes?identifier=…&password=…         the lists that it mutes: getListMutes
GET /relationships?identifier=…&password=…&other=DID     getRelationships with one other, and its profile's viewer
"""
import argparse, json, threading, urllib.parse
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from atproto import Client, models
from atproto_client.models.dot_dict import DotDict
from atproto_client.models.utils import get_model_as_dict

p = argparse.ArgumentParser()
p.add_argument('--port', type=int, required=True)
p.add_argument('--host', default='127.0.0.1')
p.add_argument('--pds', required=True)
a = p.parse_args()

lock = threading.Lock()  # a session is one account's; two threads must not sign it in twice
sessions = {}


def signed_in(identifier, password):
    with lock:
        if identifier not in sessions:
            sessions[identifier] = Client(base_url=a.pds)
            sessions[identifier].login(identifier, password)
        return sessions[identifier]


def every(ask, items):
    """Elements of all pages. Pages of some servers overlap, and the cursor of some never ends."""
    cursor, found = None, {}
    while True:
        page = ask(cursor)
        fresh = {key: item for key, item in items(page) if key not in found}
        found |= fresh
        cursor = page.cursor
        if not cursor or not fresh: return list(found.values())


def records(repo, collection):
    client = Client(base_url=a.pds)
    def item(r):
        return {'uri': r.uri, 'cid': r.cid, 'value': get_model_as_dict(r.value),
                'isValid': not isinstance(r.value, DotDict) and r.value.py_type == collection}
    return {'records': every(
        lambda cursor: client.com.atproto.repo.list_records(
            models.ComAtprotoRepoListRecords.Params(repo=repo, collection=collection, limit=100, cursor=cursor)),
        lambda page: [(r.uri, item(r)) for r in page.records])}


def mutes(identifier, password):
    graph = signed_in(identifier, password).app.bsky.graph
    return {'mutes': every(lambda cursor: graph.get_mutes({'limit': 100, 'cursor': cursor} if cursor else {'limit': 100}),
                           lambda page: [(m.did, m.did) for m in page.mutes])}


def list_mutes(identifier, password):
    graph = signed_in(identifier, password).app.bsky.graph
    return {'lists': every(lambda cursor: graph.get_list_mutes({'limit': 100, 'cursor': cursor} if cursor else {'limit': 100}),
                           lambda page: [(l.uri, l.uri) for l in page.lists])}


def relationships(identifier, password, other):
    client = signed_in(identifier, password)
    answer = client.app.bsky.graph.get_relationships({'actor': client.me.did, 'others': [other]})
    profile = client.app.bsky.actor.get_profile({'actor': other})
    return {'relationship': get_model_as_dict(answer.relationships[0]), 'viewer': get_model_as_dict(profile.viewer)}


routes = {'/records': records, '/mutes': mutes, '/list-mutes': list_mutes, '/relationships': relationships,
          '/_health': lambda: {'version': 'record_reader'}}


class Handler(BaseHTTPRequestHandler):
    protocol_version = 'HTTP/1.1'

    def do_GET(self):
        url = urllib.parse.urlsplit(self.path)
        try:
            status, answer = 200, routes[url.path](**dict(urllib.parse.parse_qsl(url.query)))
        except Exception as e:
            status, answer = 500, {'error': type(e).__name__, 'message': str(e)}
        body = json.dumps(answer).encode()
        self.send_response(status)
        self.send_header('Content-Type', 'application/json')
        self.send_header('Content-Length', str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *a): pass


ThreadingHTTPServer((a.host, a.port), Handler).serve_forever()
