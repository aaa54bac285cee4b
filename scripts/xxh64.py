"""XXH64 with seed 0 (github.com/Cyan4973/xxHash, doc/xxhash_spec.md): the same value as src/base/hash.h."""
import struct

P1, P2, P3 = 0x9E3779B185EBCA87, 0xC2B2AE3D27D4EB4F, 0x165667B19E3779F9
P4, P5, ALL = 0x85EBCA77C2B2AE63, 0x27D4EB2F165667C5, (1 << 64) - 1


def turn(x, by):
    return (x << by | x >> 64 - by) & ALL


def mixed(lane, word):
    return turn((lane + word * P2) & ALL, 31) * P1 & ALL


def xxh64(data):
    at, value = 0, P5
    if len(data) >= 32:
        lanes = [(P1 + P2) & ALL, P2, 0, -P1 & ALL]
        for stripe in struct.iter_unpack("<4Q", data[:len(data) // 32 * 32]):
            lanes = [mixed(lane, word) for lane, word in zip(lanes, stripe)]
        at = len(data) // 32 * 32
        value = sum(turn(lane, by) for lane, by in zip(lanes, (1, 7, 12, 18))) & ALL
        for lane in lanes:
            value = ((value ^ mixed(0, lane)) * P1 + P4) & ALL
    value = (value + len(data)) & ALL
    while len(data) - at >= 8:
        value = (turn(value ^ mixed(0, *struct.unpack_from("<Q", data, at)), 27) * P1 + P4) & ALL
        at += 8
    if len(data) - at >= 4:
        value = (turn(value ^ struct.unpack_from("<I", data, at)[0] * P1 & ALL, 23) * P2 + P3) & ALL
        at += 4
    for byte in data[at:]:
        value = turn(value ^ byte * P5 & ALL, 11) * P1 & ALL
    value = (value ^ value >> 33) * P2 & ALL
    value = (value ^ value >> 29) * P3 & ALL
    return value ^ value >> 32
