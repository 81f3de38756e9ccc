#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Reads a Jetstream with the client of the Python SDK.

    stream_reader.py URL COUNT COLLECTION…   from the oldest event on; ends after COUNT events

Prints a JSON object a line: the number, account, operation, collection, key and subject of each commit.
"""
import json, sys
from atproto_jetstream import JetstreamClient

url, count, *collections = sys.argv[1:]
client = JetstreamClient({'cursor': 1, 'collections': collections, 'kinds': ['commit']}, base_uri=url + '/xrpc', compress=False)
left = int(count)


def on_message(commit):
    global left
    subject = getattr(commit.record, 'subject', None)
    print(json.dumps({'seq': commit.seq, 'did': commit.did, 'operation': commit.operation, 'collection': commit.collection,
                      'rkey': commit.rkey, 'subject': subject}))
    left -= 1
    if left == 0:
        client.stop()


client.start(on_message)
