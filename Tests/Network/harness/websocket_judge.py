#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Judges a WebSocket client, or a server, by the cases of Autobahn's test suite (kosoku).

    websocket_judge.py client PORT_FILE CASE…   serves the cases; the client asks for /getCaseCount, /runCase?case=N, /updateReports
    websocket_judge.py server URL CASE…         runs the cases against a server that echoes

Prints a JSON object: how many cases ran, and what each failed case expected. CASE is an id or a pattern such as 1.*.
"""
import asyncio, json, os, sys
from kosoku import FailureError, run_fuzzingclient, run_fuzzingserver


async def serve(port_file, cases):
    async with run_fuzzingserver(cases, [], host='127.0.0.1', port=0) as server:
        with open(port_file + '.new', 'w') as file:
            file.write(str(server.port))
        os.rename(port_file + '.new', port_file)
        return await server.get_result()


async def main():
    side, place, *cases = sys.argv[1:]
    try:
        results = await (serve(place, cases) if side == 'client' else run_fuzzingclient(place, cases, [], concurrency=4))
    except FailureError as failure:
        results = failure.results
    failed = [f'{r.case_id}: {r.behavior.value}, closing {r.behavior_close.value}: {r.result} {r.result_close}'
              for r in results if not r.passed]
    print(json.dumps({'cases': len(results), 'failed': failed}))


asyncio.run(main())
