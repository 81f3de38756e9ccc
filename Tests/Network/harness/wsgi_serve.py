# SPDX-License-Identifier: Apache-2.0
"""Serves a WSGI app with gunicorn: one process (state is in memory), threads, keep-alive, websockets.
(Werkzeug's development server always answers `Connection: close`.)"""
import logging
from gunicorn.app.base import BaseApplication


def serve(app, host, port, on_start, announce, threads=64):
    class App(BaseApplication):
        def load_config(self):
            for k, v in {'bind': f'{host}:{port}', 'workers': 1, 'worker_class': 'gthread', 'threads': threads,
                         'keepalive': 75, 'timeout': 0, 'graceful_timeout': 1, 'loglevel': 'warning',
                         'post_worker_init': lambda worker: on_start(),  # threads do not survive the fork
                         'when_ready': lambda server: announce()}.items():
                self.cfg.set(k, v)
        def load(self): return app
    App().run()
