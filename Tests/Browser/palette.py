# SPDX-License-Identifier: Apache-2.0
"""Reduces a PNG to a palette, which makes pictures of pages a third as large. Needs the standard library alone."""

import collections
import struct
import zlib

SIGNATURE = b'\x89PNG\r\n\x1a\n'
CHANNELS = {2: 3, 6: 4}


def chunks(data):
    at = len(SIGNATURE)
    while at < len(data):
        length, kind = struct.unpack('>I4s', data[at:at + 8])
        yield kind, data[at + 8:at + 8 + length]
        at += 12 + length


def chunk(kind, data):
    return struct.pack('>I', len(data)) + kind + data + struct.pack('>I', zlib.crc32(kind + data))


def unfiltered(kind, row, above, step):
    """A row of bytes without its filter."""
    if kind == 1:
        for at in range(step, len(row)):
            row[at] = (row[at] + row[at - step]) & 255
    elif kind == 2:
        row = bytearray((one + other) & 255 for one, other in zip(row, above))
    elif kind == 3:
        for at in range(len(row)):
            row[at] = (row[at] + ((row[at - step] if at >= step else 0) + above[at]) // 2) & 255
    elif kind == 4:
        for at in range(len(row)):
            left, up, corner = (row[at - step], above[at], above[at - step]) if at >= step else (0, above[at], 0)
            _, best = min((abs(up - corner), 0), (abs(left - corner), 1), (abs(left + up - 2 * corner), 2))
            row[at] = (row[at] + (left, up, corner)[best]) & 255
    return row


def pixels(data):
    """Width, height and the colours of a PNG of eight bits a channel, as rows of triples."""
    parts = list(chunks(data))
    width, height, depth, kind = struct.unpack('>IIBB', parts[0][1][:10])
    step = CHANNELS[kind]
    if depth != 8:
        raise ValueError(f'{depth} bits a channel')
    raw = zlib.decompress(b''.join(part for name, part in parts if name == b'IDAT'))
    rows, above, length = [], bytearray(width * step), width * step
    for at in range(0, len(raw), length + 1):
        above = unfiltered(raw[at], bytearray(raw[at + 1:at + 1 + length]), above, step)
        rows.append(list(zip(above[0::step], above[1::step], above[2::step])))
    return width, height, rows


def distance(one, other):
    return sum((first - second) ** 2 for first, second in zip(one, other))


def reduce(path, most):
    """Writes a PNG again with at most this many colours: those that are common, and far from the more common ones."""
    with open(path, 'rb') as file:
        width, height, rows = pixels(file.read())
    counts = collections.Counter(colour for row in rows for colour in row)
    # Pale lines and backgrounds are near to each other, and must stay apart.
    chosen = [colour for colour, _ in counts.most_common(most // 3)]
    for colour, _ in counts.most_common():
        if len(chosen) == most:
            break
        if all(distance(colour, other) > 400 for other in chosen):
            chosen.append(colour)
    places = {colour: min(range(len(chosen)), key=lambda at: distance(colour, chosen[at])) for colour in counts}
    indexed = b''.join(b'\0' + bytes(places[colour] for colour in row) for row in rows)
    with open(path, 'wb') as file:
        file.write(SIGNATURE + chunk(b'IHDR', struct.pack('>IIBBBBB', width, height, 8, 3, 0, 0, 0))
                   + chunk(b'PLTE', bytes(value for colour in chosen for value in colour))
                   + chunk(b'IDAT', zlib.compress(indexed, 9)) + chunk(b'IEND', b''))
