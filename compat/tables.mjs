// Checks tables of any JSON with readers that are not ours: jsonl2parquet writes
// them, DuckDB and hyparquet must read what the JSON says. DuckDB's own JSON of
// a table must give the same table again.
//
//   node compat/tables.mjs FOLDER
import { spawnSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DuckDBInstance } from '@duckdb/node-api'
import { asyncBufferFromFile, parquetMetadataAsync, parquetReadObjects } from 'hyparquet'
import { compressors } from 'hyparquet-compressors'

// name, type in the schema text, type in DuckDB, values: integers and times (in
// microseconds) as bigint, JSON as text.
const typed = [
  ['flag', 'boolean ?', 'BOOLEAN', [true, false]],
  ['tiny', 'int32 ? (INTEGER(8,true))', 'TINYINT', [-128n, 127n]],
  ['short', 'int32 ? (INTEGER(16,true))', 'SMALLINT', [-32768n, 32767n]],
  ['int', 'int32 ?', 'INTEGER', [-2147483648n, 2147483647n]],
  ['long', 'int64 ?', 'BIGINT', [-9223372036854775808n, 9007199254740993n, 9223372036854775807n]],
  ['ms', 'int64 ? (TIMESTAMP(MILLIS,true))', 'TIMESTAMP WITH TIME ZONE', [0n, 1782872701500000n, -62135596800000000n]],
  ['us', 'int64 ? (TIMESTAMP(MICROS,true))', 'TIMESTAMP WITH TIME ZONE', [1n, 1782872701000001n]],
  ['real', 'float ?', 'FLOAT', [0.1, -1.5, 16777216]],
  ['wide', 'double ?', 'DOUBLE', [0.1, -1e300, 9007199254740992]],
  ['raw', 'binary ?', 'BLOB', ['', 'é']],
  ['text', 'binary ? (STRING)', 'VARCHAR', ['', 'a', 'a\u0000', 'é漢🧠', '2026-07-01']],
  ['any', 'binary ? (JSON)', 'JSON', ['{"a":[1,null,{"b":"x"}]}', '[]', '"s"', '1.5']],
].map(([name, parquet, duck, values]) => ({ name, parquet, duck, values }))

const inferred = typed.filter(c => ['flag', 'long', 'wide', 'text', 'any'].includes(c.name))
  .concat({ name: 'none', duck: 'VARCHAR', values: [null] })

function must(ok, what) {
  if (!ok) throw new Error(what)
}

let seed = 1
const random = n => (seed = seed * 48271 % 2147483647) % n

// makeRows gives n rows of the columns' values and nulls, the same ones every time.
const makeRows = (columns, n) => Array.from({ length: n }, () => Object.fromEntries(columns.map(c =>
  [c.name, [...c.values, null][random(c.values.length + 1)]])))

const isoMicros = us => {
  const ms = us / 1000n - (us % 1000n < 0n ? 1n : 0n)
  return new Date(Number(ms)).toISOString().replace('Z', `${us - ms * 1000n}`.padStart(3, '0') + 'Z')
}

function toJSON(value, column) {
  if (value === null) return 'null'
  if (column.duck === 'JSON') return value
  if (column.duck === 'TIMESTAMP WITH TIME ZONE') return `"${isoMicros(value)}"`
  return typeof value === 'string' ? JSON.stringify(value) : `${value}`
}

// Lines leave out some of the nulls.
const toLines = (columns, rows) => rows.map((row, i) => '{' + columns.filter(c => row[c.name] !== null || i % 2 === 0)
  .map(c => `${JSON.stringify(c.name)}:${toJSON(row[c.name], c)}`).join() + '}\n').join('')

const schemaText = columns => 'message compat {\n' +
  columns.map(c => `  optional ${c.parquet.replace('?', c.name)};\n`).join('') + '}\n'

const duckCell = (value, { duck }) => {
  if (value === null) return null
  if (duck === 'TIMESTAMP WITH TIME ZONE') return value.micros
  if (duck === 'BLOB') return Buffer.from(value.bytes).toString()
  return ['TINYINT', 'SMALLINT', 'INTEGER'].includes(duck) ? BigInt(value) : value
}

const hyparquetCell = (value, { duck }) => {
  if (value === null || value === undefined) return null
  if (duck === 'TIMESTAMP WITH TIME ZONE') return BigInt(value.getTime()) // its Date has no microseconds
  if (duck === 'JSON') return JSON.stringify(value)
  return ['TINYINT', 'SMALLINT', 'INTEGER'].includes(duck) ? BigInt(value) : value
}

const inMillis = (value, { duck }) =>
  duck === 'TIMESTAMP WITH TIME ZONE' && value !== null ? BigInt(new Date(isoMicros(value)).getTime()) : value

function sameRows(reader, columns, got, want, cell, expect = value => value) {
  must(got.length === want.length, `${reader}: ${got.length} rows, want ${want.length}`)
  want.forEach((row, i) => columns.forEach(c => {
    const expected = expect(c.duck === 'FLOAT' && row[c.name] !== null ? Math.fround(row[c.name]) : row[c.name], c)
    const value = cell(got[i][c.name], c)
    must(value === expected, `${reader}: row ${i}, ${c.name}: ${value}, want ${expected}`)
  }))
}

const order = (a, b) => a === b ? 0 : a < b ? -1 : 1

// inOrder sorts as --sort text,-long does: by bytes, from the greatest down, nulls last.
const inOrder = rows => [...rows].sort((a, b) =>
  order(a.text === null, b.text === null) || Buffer.compare(Buffer.from(a.text ?? ''), Buffer.from(b.text ?? '')) ||
  order(a.long === null, b.long === null) || order(b.long ?? 0n, a.long ?? 0n))

function write(folder, name, lines, args) {
  const path = join(folder, `${name}.parquet`)
  const { status, stderr, error } = spawnSync('jsonl2parquet', [...args, '-o', path], { input: lines, encoding: 'utf8' })
  must(status === 0 && stderr === '', `jsonl2parquet: ${error ?? stderr}`)
  return path
}

async function check(ask, folder, { name, columns, rows, args = [], schema = true, want = rows }) {
  const schemaPath = join(folder, `${name}.schema`)
  writeFileSync(schemaPath, schema ? schemaText(columns) : '')
  const withSchema = schema ? ['--schema', schemaPath] : []
  const path = write(folder, name, toLines(columns, rows), [...withSchema, ...args])

  const types = await ask(`DESCRIBE SELECT * FROM '${path}'`)
  must(types.map(t => `${t.column_name} ${t.column_type}`).join() === columns.map(c => `${c.name} ${c.duck}`).join(),
    `types are ${types.map(t => `${t.column_name} ${t.column_type}`).join()}`)
  sameRows('duckdb', columns, await ask(`SELECT * FROM '${path}'`), want, duckCell)
  const file = await asyncBufferFromFile(path)
  const metadata = await parquetMetadataAsync(file)
  sameRows('hyparquet', columns, await parquetReadObjects({ file, metadata, compressors }), want, hyparquetCell, inMillis)
  console.log(`${name}: ${rows.length} rows of ${columns.length} columns in ${metadata.row_groups.length} groups: duckdb and hyparquet agree with the JSON`)
  if (rows.length > 0) await roundTrip(ask, folder, name, path, columns, withSchema)
}

// roundTrip has DuckDB write a table as JSON, which must become that table again.
// DuckDB writes blobs with escapes of its own, so those are not asked for.
async function roundTrip(ask, folder, name, path, columns, args) {
  const json = join(folder, `${name}.json`)
  const names = columns.filter(c => c.duck !== 'BLOB').map(c => `"${c.name}"`).join()
  await ask(`COPY (SELECT ${names} FROM '${path}') TO '${json}' (FORMAT json)`)
  const again = join(folder, `${name}-again.parquet`)
  const { status, stderr } = spawnSync('sh', ['-c', 'in=$1; shift; jsonl2parquet "$@" <"$in"', 'sh', json, ...args, '-o', again], { encoding: 'utf8' })
  must(status === 0 && stderr === '', `DuckDB's JSON again: ${stderr}`)
  for (const [a, b] of [[path, again], [again, path]]) {
    const lost = await ask(`SELECT ${names} FROM '${a}' EXCEPT ALL SELECT ${names} FROM '${b}'`)
    must(lost.length === 0, `${lost.length} rows of ${a} are not in ${b}`)
  }
  console.log(`  DuckDB's JSON of it becomes the same table again`)
}

// makeNested gives n rows that are nested in every way that --nested takes
// apart, the same ones every time.
function makeNested(n) {
  const maybe = value => [value, value, value, null][random(4)]
  const list = make => maybe(Array.from({ length: random(4) }, make))
  const text = () => maybe(['', 'é漢🧠', 'null', '[1]'][random(4)])
  const object = () => maybe(random(3) === 0 ? { k: random(100) } : { k: random(100), tags: list(text), real: random(9) / 2 })
  const row = i => ({
    i, object: object(), deep: maybe({ a: { b: { c: maybe(random(2) === 0) } } }), numbers: list(() => maybe(random(1000) / 4)),
    lists: list(() => list(() => list(() => maybe(random(10))))), objects: list(object), mixed: list(() => maybe([1, 'x', { q: [1] }][random(3)])),
    none: list(() => null),
  })
  return Array.from({ length: n }, (_, i) => row(i))
}

// plain makes values of all readers alike: a key whose value is null is one that
// is missing.
const plain = value => JSON.stringify(value, (_, v) => {
  if (typeof v === 'bigint') return Number(v)
  if (v === null || typeof v !== 'object' || Array.isArray(v)) return v ?? null
  return Object.fromEntries(Object.entries(v).filter(([, x]) => x !== null && x !== undefined).sort(([a], [b]) => order(a, b)))
})

async function checkNested(ask, folder) {
  const rows = makeNested(2000)
  const path = write(folder, 'nested', rows.map(row => (row.i % 2 ? plain(row) : JSON.stringify(row)) + '\n').join(''), ['--nested', '--row-group-rows', '300'])
  const [{ type }] = await ask(`SELECT typeof(t) AS type FROM '${path}' t LIMIT 1`)
  for (const want of ['STRUCT(k BIGINT, real DOUBLE, tags VARCHAR[])[]', 'BIGINT[][][]', 'JSON[]', 'STRUCT(a STRUCT(b STRUCT(c BOOLEAN)))', 'VARCHAR[]']) {
    must(type.replaceAll('"', '').includes(want), `no ${want} in ${type}`)
  }
  const duck = (await ask(`SELECT to_json(t) AS row FROM read_parquet('${path}') t`)).map(r => JSON.parse(r.row))
  const hyparquet = await parquetReadObjects({ file: await asyncBufferFromFile(path), compressors })
  for (const [reader, got] of Object.entries({ duck, hyparquet })) {
    must(got.length === rows.length, `${reader}: ${got.length} rows, want ${rows.length}`)
    rows.forEach((row, i) => must(plain(got[i]) === plain(row), `${reader}: row ${i}: ${plain(got[i])}, want ${plain(row)}`))
  }
  console.log(`nested: ${rows.length} rows: duckdb and hyparquet agree with the JSON`)
  await roundTrip(ask, folder, 'nested', path, Object.keys(rows[0]).map(name => ({ name })), ['--nested'])
}

const [folder] = process.argv.slice(2)
const db = await (await DuckDBInstance.create(':memory:')).connect()
const ask = async sql => (await db.runAndReadAll(sql)).getRowObjects()
await ask(`SET TimeZone = 'UTC'`)
const rows = makeRows(typed, 2000)
const cases = [
  { name: 'typed', columns: typed, rows, args: ['--bloom', 'text,long,tiny,real,raw', '--zstd', '1'] },
  { name: 'sorted', columns: typed, rows, want: inOrder(rows), args: ['--sort', 'text,-long', '--row-group-rows', '300'] },
  { name: 'no-rows-typed', columns: typed, rows: [] },
  { name: 'inferred', columns: inferred, rows: makeRows(inferred, 2000), schema: false },
]
const checks = cases.map(one => [one.name, () => check(ask, folder, one)])
checks.push(['nested', () => checkNested(ask, folder)])
for (const [name, run] of checks) {
  try {
    await run()
  } catch (err) {
    console.error(`compat: ${name}: ${err.message}`)
    process.exit(1)
  }
}
