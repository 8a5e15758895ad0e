// Checks a shard with readers that are not ours: DuckDB and hyparquet must read
// from it exactly what the row JSONL says, in the shard's order.
//
//   node compat/check.mjs ROWS.jsonl SHARD.parquet
import { DuckDBInstance, version } from '@duckdb/node-api'
import { asyncBufferFromFile, parquetMetadataAsync, parquetQuery, parquetReadObjects } from 'hyparquet'
import { compressors } from 'hyparquet-compressors'
import { columns, inShardOrder, readRows } from './rows.mjs'
import { expected, readmeQueries, verify } from './queries.mjs'

const filtered = ['url_host_name', 'url_host_registered_domain']
const absent = Array.from({ length: 200 }, (_, i) => `absent-${i}.example.org`)

function must(ok, what) {
  if (!ok) throw new Error(what)
}

// sameRows compares every cell; read(row, column) gives one as readRows does.
function sameRows(got, want, read) {
  must(got.length === want.length, `${got.length} rows, want ${want.length}`)
  let nulls = 0
  want.forEach((row, i) => {
    for (const column of columns) {
      const value = read(got[i], column)
      must(value === row[column.name], `row ${i}, ${column.name}: ${value}, want ${row[column.name]}`)
      nulls += value === null
    }
  })
  return `${want.length} rows, ${want.length * columns.length} values, ${nulls} of them NULL`
}

const duckCell = (row, { name, type }) => {
  const value = row[name]
  if (value === null) return null
  if (type === 'TIMESTAMP WITH TIME ZONE') {
    must(value.micros % 1000n === 0n, `${name}: ${value.micros} µs`)
    return value.micros / 1000n
  }
  return type === 'INTEGER' ? BigInt(value) : value
}

const hyparquetCell = (row, { name, type }) => {
  const value = row[name]
  if (value === null) return null
  if (type === 'TIMESTAMP WITH TIME ZONE') return BigInt(value.getTime())
  return type === 'INTEGER' ? BigInt(value) : value
}

async function checkDuckDB(path, rows) {
  const db = await (await DuckDBInstance.create(':memory:')).connect()
  const ask = async (sql, values) => await db.runAndReadAll(sql, values)
  const file = `'${path.replaceAll("'", "''")}'`

  const types = (await ask(`DESCRIBE SELECT * FROM ${file}`)).getRowObjects()
  must(types.map(t => `${t.column_name} ${t.column_type}`).join() === columns.map(c => `${c.name} ${c.type}`).join(),
    `types are ${types.map(t => `${t.column_name} ${t.column_type}`).join(', ')}`)
  report('duckdb', `${types.length} column types`)
  report('duckdb', sameRows((await ask(`SELECT * FROM ${file}`)).getRowObjects(), rows, duckCell))

  const queries = readmeQueries(new URL('../README.md', import.meta.url))
  must(queries.length === expected.length, `README has ${queries.length} queries, want ${expected.length}`)
  const sizes = []
  for (const [i, query] of queries.entries()) {
    try {
      const answer = (await ask(query.replaceAll("'x.parquet'", file))).getRows()
      verify(answer.map(row => row.map(queryCell)), expected[i], rows)
      sizes.push(answer.length)
    } catch (err) {
      throw new Error(`query ${i + 1}: ${err.message}`)
    }
  }
  report('duckdb', `${queries.length} queries of the README give the right rows: ${sizes.join(', ')}`)
  await checkBlooms(ask, path, rows)
}

const queryCell = value => value?.micros !== undefined ? value.micros / 1000n : typeof value === 'number' ? BigInt(value) : value

// checkBlooms asks the filters for every value that is there, and for some that are not.
async function checkBlooms(ask, path, rows) {
  const probe = async (column, value) =>
    (await ask('SELECT bloom_filter_excludes AS no FROM parquet_bloom_probe($1, $2, $3)', [path, column, value])).getRows().flat()
  for (const column of filtered) {
    const present = [...new Set(rows.map(r => r[column]).filter(v => v !== null))]
    for (const value of present) {
      must((await probe(column, value)).includes(false), `the filter of ${column} excludes ${value}, which is there`)
    }
    let excluded = 0
    for (const value of absent) excluded += !(await probe(column, value)).includes(false)
    must(excluded >= absent.length * 0.9, `the filter of ${column} excludes only ${excluded} of ${absent.length} absent values`)
    report('duckdb', `bloom filter of ${column}: ${present.length} values found, ${excluded} of ${absent.length} absent ones excluded`)
  }
}

async function checkHyparquet(path, rows, end) {
  const file = await asyncBufferFromFile(path)
  const metadata = await parquetMetadataAsync(file)
  for (const [i, column] of columns.entries()) {
    const element = metadata.schema[i + 1]
    must(element.name === column.name && (element.repetition_type === 'OPTIONAL') === column.optional,
      `column ${i + 1} is ${element.repetition_type} ${element.name}`)
    if (column.type === 'VARCHAR') must(element.logical_type?.type === 'STRING', `${column.name} is no STRING`)
    if (column.name === 'fetch_time') {
      const { type, unit, isAdjustedToUTC } = element.logical_type
      must(type === 'TIMESTAMP' && unit === 'MILLIS' && isAdjustedToUTC, `fetch_time is ${type} ${unit}`)
    }
  }
  const read = await parquetReadObjects({ file, metadata, compressors })
  report('hyparquet', sameRows(read, rows, hyparquetCell))

  for (const group of metadata.row_groups) {
    for (const chunk of group.columns.map(c => c.meta_data)) {
      const name = chunk.path_in_schema[0]
      must((chunk.bloom_filter_offset !== undefined) === filtered.includes(name), `bloom filter of ${name}`)
    }
  }
  const hosts = [...new Set(rows.map(r => r.url_host_name).filter(v => v !== null))]
  const asked = hosts.filter((_, i) => i % Math.ceil(hosts.length / 50) === 0).concat(absent[0])
  for (const host of asked) {
    const hits = await parquetQuery({ file, metadata, compressors, filter: { url_host_name: { $eq: host } }, useBloomFilters: true })
    must(hits.length === rows.filter(r => r.url_host_name === host).length, `${host}: ${hits.length} rows through the bloom filter`)
  }
  report('hyparquet', `${metadata.row_groups.length} row groups; ${asked.length} hosts asked for through the bloom filters`)
  checkFooter(metadata, rows, end)
}

// checkFooter recounts what the shard says of itself.
function checkFooter(metadata, rows, end) {
  const text = metadata.key_value_metadata.find(pair => pair.key === 'ccnews.index')?.value
  must(text, 'the footer has no ccnews.index')
  const index = JSON.parse(text)
  const keys = Object.keys(index)
  must(keys.join() === [...keys].sort().join(), `keys of ccnews.index are not sorted: ${keys.join()}`)
  must(JSON.stringify(index).length === text.length, 'ccnews.index is not compact')
  must(index.rows === rows.length, `ccnews.index says ${index.rows} rows`)
  must(index.complete === Boolean(end && !end.filtered), `ccnews.index says complete: ${index.complete}`)
  const tallies = {
    by_status: r => `${r.fetch_status}`,
    by_mime: r => r.content_mime_detected ?? '',
    by_language: r => (r.content_languages ?? '').split(',')[0],
    by_day: r => new Date(Number(r.fetch_time)).toISOString().slice(0, 10),
  }
  for (const [key, value] of Object.entries(tallies)) {
    const counts = {}
    for (const row of rows) counts[value(row)] = (counts[value(row)] ?? 0) + 1
    must(JSON.stringify(Object.entries(counts).sort()) === JSON.stringify(Object.entries(index[key]).sort()),
      `ccnews.index: ${key} is ${JSON.stringify(index[key])}, want ${JSON.stringify(counts)}`)
  }
  report('footer', `ccnews.index says ${index.rows} rows, complete: ${index.complete}; its tallies are right`)
}

const report = (reader, what) => console.log(`  ${reader}: ${what}`)

const [rowsPath, shardPath] = process.argv.slice(2)
if (!shardPath || process.argv.length > 4) {
  console.error('usage: node compat/check.mjs ROWS.jsonl SHARD.parquet')
  process.exit(2)
}
try {
  const { rows, end } = readRows(rowsPath)
  const sorted = inShardOrder(rows)
  await checkDuckDB(shardPath, sorted)
  await checkHyparquet(shardPath, sorted, end)
} catch (err) {
  console.error(`compat: ${shardPath}: ${err.message}`)
  process.exit(1)
}
