// The queries of the README, and what they must answer, computed without SQL.
import { readFileSync } from 'node:fs'

/** The statements in the README's sql blocks, in order. */
export function readmeQueries(path) {
  const blocks = readFileSync(path, 'utf8').matchAll(/^```sql\n(.*?)^```/gms)
  return [...blocks].flatMap(m => m[1].split(';')).map(s => s.trim()).filter(s => s !== '')
}

/**
 * What each query must answer. all(rows) is every row of the answer before LIMIT;
 * order, if there is one, is what the answer is sorted by, as a number.
 */
export const expected = [
  {
    all: rows => rows.filter(r => r.url_host_registered_domain === 'bbc.co.uk')
      .map(r => [r.url, r.fetch_time, r.content_languages]),
    order: row => Number(row[1]),
  },
  {
    all: rows => count(rows.filter(r => r.content_language_declared && r.content_languages &&
      left2(r.content_language_declared) !== left2(r.content_languages)),
      r => [r.content_language_declared, r.content_languages]),
    order: row => -Number(row[2]),
    limit: 20,
  },
  {
    all: rows => count(rows, r => [r.fetch_status]),
    order: row => -Number(row[1]),
  },
  {
    all: rows => count(rows.filter(r => r.content_languages !== null), r => [r.content_languages]),
    order: row => -Number(row[1]),
    limit: 20,
  },
  {
    all: rows => rows.filter(r => r.url_host_registered_domain === 'wikipedia.org' &&
      (r.content_languages ?? '').includes('eng') && r.content_mime_type === 'text/html' && r.fetch_status === 200n)
      .map(r => [r.url, r.warc_filename, r.warc_record_offset, r.warc_record_length]),
  },
]

const left2 = s => [...s].slice(0, 2).join('')

function count(rows, group) {
  const counts = new Map()
  for (const row of rows) {
    const key = group(row)
    const found = counts.get(text(key)) ?? [...key, 0n]
    found[found.length - 1]++
    counts.set(text(key), found)
  }
  return [...counts.values()]
}

/** Compares an answer with what it must be. Rows that tie in the order may come in any. */
export function verify(answer, { all, order = () => 0, limit = Infinity }, rows) {
  const want = all(rows).sort((a, b) => order(a) - order(b))
  const size = Math.min(limit, want.length)
  if (answer.length !== size) throw new Error(`${answer.length} rows, want ${size}`)
  const left = new Map()
  for (const row of want) left.set(text(row), (left.get(text(row)) ?? 0) + 1)
  answer.forEach((row, i) => {
    if (order(row) !== order(want[i])) throw new Error(`row ${i + 1} is out of order: ${text(row)}`)
    const n = left.get(text(row)) ?? 0
    if (n === 0) throw new Error(`row ${i + 1} must not be there: ${text(row)}`)
    left.set(text(row), n - 1)
  })
}

const text = row => JSON.stringify(row, (_, v) => typeof v === 'bigint' ? `${v}n` : v)
