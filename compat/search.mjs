// The question of shard-grep, asked of readers that are not ours: DuckDB and hyparquet.
//
//   node search.mjs same SHARD…          compares what DuckDB and shard-grep find of a
//                                        dozen domains in each shard
//   node search.mjs duckdb DOMAIN GLOB   finds a registered domain in local files
//   node search.mjs hyparquet DOMAIN     finds it in files behind URLs, 16 at a time;
//                                        stdin lists them as hf-ls does
//
// The last two print a line of JSON: rows, and what was read where that is known.
import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { DuckDBInstance } from '@duckdb/node-api'
import { asyncBufferFromUrl, cachedAsyncBuffer, parquetQuery } from 'hyparquet'
import { compressors } from 'hyparquet-compressors'

const connect = async () => await (await DuckDBInstance.create(':memory:')).connect()

const belowDomain = `SELECT warc_filename, warc_record_offset FROM read_parquet($1)
  WHERE url_host_name = $2 OR ends_with(url_host_name, '.' || $2)`

/** Compares as sets of places: the order of shard-grep is the shard's, that of SQL is none. */
async function same(shards) {
  const db = await connect()
  const ask = async (sql, ...values) => (await db.runAndReadAll(sql, values)).getRows()
  for (const shard of shards) {
    let found = 0
    const domains = await dozen(ask, shard)
    for (const domain of domains) {
      const theirs = (await ask(belowDomain, shard, domain)).map(([name, offset]) => `${name} ${offset}`)
      const ours = grep(domain, shard)
      if (ours.sort().join('\n') !== theirs.sort().join('\n')) {
        throw new Error(`${shard}: ${domain}: shard-grep finds ${ours.length} rows, DuckDB ${theirs.length}`)
      }
      found += ours.length
    }
    if (found === 0 && domains.length > 2) throw new Error(`${shard}: no domain has a row`)
    const name = shard.replace(/.*\//, '')
    console.log(`  shard-grep and DuckDB: ${name}: the same ${found} rows of ${domains.length} domains: ${domains.join(' ')}`)
  }
}

/** The largest domains, hosts and a TLD among the first and last, and names that are not there. */
async function dozen(ask, shard) {
  const top = async (column, n) => await ask(`SELECT ${column} FROM read_parquet($1) WHERE ${column} IS NOT NULL
    GROUP BY 1 ORDER BY count(*) DESC, 1 LIMIT ${n}`, shard)
  const names = [
    ...await top('url_host_registered_domain', 5), ...await top('url_host_name', 4), ...await top('url_host_tld', 2),
    ...await ask('SELECT max(url_host_name), min(url_host_registered_domain) FROM read_parquet($1)', shard),
  ].flat().filter(name => name !== null)
  return [...new Set(names), 'absent.example', 'co.uk']
}

function grep(domain, shard) {
  try {
    const args = ['--stats', 'none', '--columns', 'warc_filename,warc_record_offset', domain, shard]
    const out = execFileSync('shard-grep', args, { encoding: 'utf8', maxBuffer: 1 << 30 })
    return out.trimEnd().split('\n').map(line => {
      const row = JSON.parse(line)
      return `${row.warc_filename} ${row.warc_record_offset}`
    })
  } catch (err) {
    if (err.status === 1) return []
    throw err
  }
}

async function duckdb([domain, glob]) {
  const read = () => Number(/^rchar: (\d+)/m.exec(readFileSync('/proc/self/io', 'utf8'))[1])
  const db = await connect()
  const before = read()
  const result = await db.runAndReadAll('SELECT * FROM read_parquet($1) WHERE url_host_registered_domain = $2', [glob, domain])
  console.log(JSON.stringify({ rows: result.getRows().length, bytes: read() - before }))
}

async function hyparquet([domain]) {
  const listed = readFileSync(0, 'utf8').split('\n').filter(Boolean).map(line => JSON.parse(line))
  let rows = 0
  const search = async () => {
    for (let file; (file = listed.shift());) {
      const found = await hits(file, domain)
      rows += found.length
    }
  }
  await Promise.all(Array.from({ length: 16 }, search))
  console.log(JSON.stringify({ rows }))
}

/** Asks the hub once where a file is stored, and reads parts of it there. */
async function hits({ url, size }, domain) {
  const answer = await fetch(url, { redirect: 'manual' })
  await answer.arrayBuffer()
  const stored = answer.headers.get('location')
  if (!stored) throw new Error(`${url}: ${answer.status}`)
  const file = cachedAsyncBuffer(await asyncBufferFromUrl({ url: new URL(stored, url).href, byteLength: size }))
  const filter = { url_host_registered_domain: { $eq: domain } }
  return await parquetQuery({ file, compressors, filter, useBloomFilters: true, useOffsetIndex: true })
}

const [verb, ...rest] = process.argv.slice(2)
const verbs = { same, duckdb, hyparquet }
if (!Object.hasOwn(verbs, verb ?? '') || rest.length === 0) {
  console.error('usage: node search.mjs same SHARD… | duckdb DOMAIN GLOB | hyparquet DOMAIN')
  process.exit(2)
}
try {
  await verbs[verb](rest)
} catch (err) {
  console.error(`search.mjs: ${err.message}`)
  process.exit(1)
}
