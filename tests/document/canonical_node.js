// SPDX-License-Identifier: Apache-2.0
// Compares what canonical_texts.c prints with JSON.stringify, whose numbers and strings are those of
// RFC 8785, and with the order of Array.prototype.sort, that of UTF-16 code units.
'use strict';
const lines = require('readline').createInterface({ input: process.stdin });
const view = new DataView(new ArrayBuffer(8));
const text = (hex) => Buffer.from(hex, 'hex').toString('utf8');
const counts = { n: 0, s: 0, o: 0 };
let wrong = 0;

function number(bits) {
  view.setBigUint64(0, BigInt('0x' + bits));
  return JSON.stringify(view.getFloat64(0));
}

function object(a, b) {
  const members = new Map([[text(a), 1], [text(b), 2]]);
  const inner = [...members.keys()].sort().map((k) => JSON.stringify(k) + ':' + members.get(k));
  return '{' + inner.join(',') + '}';
}

lines.on('line', (line) => {
  const kind = line[0];
  const [a, b] = line.slice(2).split(' ', 2);
  const got = line.slice(3 + a.length + (kind === 'o' ? 1 + b.length : 0));
  const want = kind === 'n' ? number(a) : kind === 's' ? JSON.stringify(text(a)) : object(a, b);
  counts[kind]++;
  if (got !== want && ++wrong <= 10) console.log(`${line.slice(0, 2 + a.length)}: ${got}, not ${want}`);
});
lines.on('close', () => {
  console.log(`${counts.n} numbers, ${counts.s} strings, ${counts.o} objects, ${wrong} wrong`);
  process.exit(wrong > 0 ? 1 : 0);
});
