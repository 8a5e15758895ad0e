// What a shard must hold: the columns, the rows of a JSONL file, and their order.
import { readFileSync } from 'node:fs'

// name, type in DuckDB, may it be null
export const columns = [
  ['url_surtkey', 'VARCHAR', false],
  ['url', 'VARCHAR', false],
  ['url_host_name', 'VARCHAR', true],
  ['url_host_registered_domain', 'VARCHAR', true],
  ['url_host_tld', 'VARCHAR', true],
  ['url_protocol', 'VARCHAR', true],
  ['fetch_time', 'TIMESTAMP WITH TIME ZONE', false],
  ['fetch_status', 'INTEGER', false],
  ['fetch_redirect', 'VARCHAR', true],
  ['content_digest', 'VARCHAR', true],
  ['content_mime_type', 'VARCHAR', false],
  ['content_mime_detected', 'VARCHAR', true],
  ['content_charset', 'VARCHAR', true],
  ['content_languages', 'VARCHAR', true],
  ['content_truncated', 'VARCHAR', true],
  ['warc_filename', 'VARCHAR', false],
  ['warc_record_offset', 'BIGINT', false],
  ['warc_record_length', 'BIGINT', false],
  ['content_language_confidence', 'DOUBLE', true],
  ['content_language_declared', 'VARCHAR', true],
  ['content_length', 'BIGINT', false],
  ['warc_record_id', 'VARCHAR', true],
].map(([name, type, nullable]) => ({
  name, type, nullable,
  // cc-index's schema lets content_mime_type be null, its writer never does.
  optional: nullable || name === 'content_mime_type',
}))

/**
 * Reads row JSONL. Values are comparable with ===: strings, null, bigint for
 * integers and for times (milliseconds since 1970), number for DOUBLE.
 */
export function readRows(path) {
  const rows = []
  let end
  for (const line of readFileSync(path, 'utf8').split('\n')) {
    if (line === '') continue
    // JSON.parse would round what is above 2^53. Inside a string the quote
    // before the colon is escaped, so this finds keys alone.
    const object = JSON.parse(line.replace(/([a-z]":)(-?\d{15,})/g, '$1"$2"'))
    if (object._end) {
      end = object._end
      continue
    }
    const names = Object.keys(object)
    if (names.join() !== columns.map(c => c.name).join()) {
      throw new Error(`${path}: keys are ${names.join()}`)
    }
    rows.push(Object.fromEntries(columns.map(c => [c.name, cell(object[c.name], c)])))
  }
  return { rows, end }
}

function cell(value, { name, type, nullable }) {
  if (value === null) {
    if (!nullable) throw new Error(`${name} is null`)
    return null
  }
  switch (type) {
    case 'VARCHAR':
      if (typeof value !== 'string') throw new Error(`${name}: ${value} is no string`)
      return value
    case 'DOUBLE':
      if (typeof value !== 'number') throw new Error(`${name}: ${value} is no number`)
      return value
    case 'TIMESTAMP WITH TIME ZONE':
      if (!/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{3})?Z$/.test(value)) throw new Error(`${name}: ${value}`)
      return BigInt(Date.parse(value))
    default:
      return BigInt(value)
  }
}

/** Orders rows as a shard does; rows that are equal in all three keep their order. */
export function inShardOrder(rows) {
  return [...rows].sort((a, b) =>
    Buffer.compare(Buffer.from(a.url_surtkey), Buffer.from(b.url_surtkey)) ||
    Number(a.fetch_time - b.fetch_time) ||
    Number(a.warc_record_offset - b.warc_record_offset))
}
