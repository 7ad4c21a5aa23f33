// Chains the hashes of the messages of a conversation: each is that of the hash before it, the hash of the message's key, and the position of
// the call that it answers, as in ../../model/path-hashes.ts. The host hashes the keys, which are long; a link fits a block of SHA-256.
#pragma once
#include "message.h"

#define MAX_IDS 4096
#define HASH_BYTES 16

typedef struct {  // 32-bit words; the host writes `message`, and reads `key`
  Span message, key;
  u32 calls;      // of the conversation, up to the end of this message
  u32 is_result;
  Span answered;
} Link;
static Link links[MAX_LINKS];
static u8 hashes[MAX_LINKS][HASH_BYTES];  // of the keys, then of the links
static Span known_ids[MAX_IDS];           // of the calls
static u32 known_calls;

EXPORT(links_at) u32 links_at(void) { return (u32)links; }
EXPORT(hashes_at) u32 hashes_at(void) { return (u32)hashes; }

// Returns 0 if there is no room for them.
static u32 add_ids(const Span *ids, u32 count) {
  if (known_calls + count > MAX_IDS) return 0;
  for (u32 i = 0; i < count; i++) known_ids[known_calls++] = ids[i];
  return 1;
}

static int is_same(Span a, Span b) {
  if (a.end - a.at != b.end - b.at) return 0;
  for (u32 i = a.at, j = b.at; i < a.end; i++, j++) if (byte_at(i) != byte_at(j)) return 0;
  return 1;
}

static u32 rotated(u32 word, u32 by) { return word >> by | word << (32 - by); }

// Hashes up to 55 bytes with SHA-256 (FIPS 180-4); `block` has room for 64. Writes the first 16 bytes of the hash.
static void hash_block(u8 *block, u32 length, u8 *to) {
  static const u32 K[64] = {
      0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5, 0xd807aa98, 0x12835b01, 0x243185be,
      0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174, 0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa,
      0x5cb0a9dc, 0x76f988da, 0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967, 0x27b70a85,
      0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85, 0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3,
      0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070, 0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f,
      0x682e6ff3, 0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};
  const u32 first[8] = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
  u32 w[64], s[8];
  block[length] = 0x80;
  for (u32 i = length + 1; i < 64; i++) block[i] = 0;
  block[62] = length >> 5, block[63] = length << 3;
  for (u32 i = 0; i < 16; i++) w[i] = (u32)block[i * 4] << 24 | block[i * 4 + 1] << 16 | block[i * 4 + 2] << 8 | block[i * 4 + 3];
  for (u32 i = 16; i < 64; i++)
    w[i] = w[i - 16] + w[i - 7] + (rotated(w[i - 15], 7) ^ rotated(w[i - 15], 18) ^ w[i - 15] >> 3) +
           (rotated(w[i - 2], 17) ^ rotated(w[i - 2], 19) ^ w[i - 2] >> 10);
  for (u32 i = 0; i < 8; i++) s[i] = first[i];
  for (u32 i = 0; i < 64; i++) {
    const u32 a = s[0], e = s[4];
    const u32 one = s[7] + (rotated(e, 6) ^ rotated(e, 11) ^ rotated(e, 25)) + ((e & s[5]) ^ (~e & s[6])) + K[i] + w[i];
    const u32 two = (rotated(a, 2) ^ rotated(a, 13) ^ rotated(a, 22)) + ((a & s[1]) ^ (a & s[2]) ^ (s[1] & s[2]));
    for (u32 j = 7; j > 0; j--) s[j] = s[j - 1];
    s[4] += one, s[0] = one + two;
  }
  for (u32 i = 0; i < HASH_BYTES; i++) to[i] = (s[i / 4] + first[i / 4]) >> (24 - i % 4 * 8);
}

static void put_link(u32 index) {
  u8 block[64];
  u32 length = 0;
  if (index > 0) for (; length < HASH_BYTES; length++) block[length] = hashes[index - 1][length];
  for (u32 i = 0; i < HASH_BYTES; i++) block[length++] = hashes[index][i];
  const Link link = links[index];
  if (link.is_result) {
    u32 after = link.calls;  // the position of the last call with this id, and one
    while (after > 0 && !is_same(known_ids[after - 1], link.answered)) after--;
    if (after == 0) block[length++] = '-', block[length++] = '1';
    else {
      u32 unit = 1;
      while (unit * 10 <= after - 1) unit *= 10;
      for (; unit > 0; unit /= 10) block[length++] = '0' + (after - 1) / unit % 10;
    }
  }
  hash_block(block, length, hashes[index]);
}
