// Checks the cards and ledgers that dataset-card writes with programs that are not
// ours: a YAML parser reads the front matter, which must keep the rules of the hub and
// of the datasets library; DuckDB runs every query of the card on a local repository,
// and counts the shards itself.
//
//   node compat/card.mjs FOLDER     where compat/run has left sample.parquet and others
import { execFileSync } from 'node:child_process'
import { copyFileSync, existsSync, mkdirSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { DuckDBInstance } from '@duckdb/node-api'
import { parse } from 'yaml'

function must(ok, what) {
  if (!ok) throw new Error(what)
}

const same = (got, want, what) =>
  must(JSON.stringify(got) === JSON.stringify(want), `${what}: ${JSON.stringify(got)}, want ${JSON.stringify(want)}`)

const db = await (await DuckDBInstance.create(':memory:')).connect()
const ask = async sql => (await db.runAndReadAll(sql)).getRowsJson()

// What https://huggingface.co/docs/hub/datasets-cards and the loader's documentation say.
const allowedKeys = ['license', 'language', 'pretty_name', 'tags', 'size_categories', 'task_categories', 'configs']
const categories = [[1e3, 'n<1K'], [1e4, '1K<n<10K'], [1e5, '10K<n<100K'], [1e6, '100K<n<1M']]

/** Checks the front matter against the files, and returns the number of subsets. */
function checkFrontMatter(text, files, rows) {
  const yaml = text.match(/^---\n(.*?\n)---\n/s)
  must(yaml, 'no front matter at the very start')
  const card = parse(yaml[1], { strict: true, uniqueKeys: true })
  for (const key of Object.keys(card)) must(allowedKeys.includes(key), `key ${key} is not one of the hub's`)
  same(card.license, 'odc-by', 'license')
  must(typeof card.pretty_name === 'string' && card.pretty_name !== '', 'no pretty_name')
  for (const key of ['tags', 'size_categories', 'language']) {
    must(card[key] === undefined || Array.isArray(card[key]) && card[key].every(v => typeof v === 'string'), `${key} is no list of strings`)
  }
  must((card.language ?? []).every(code => /^[a-z]{2,3}$/.test(code)), `language: ${card.language}`)
  same(card.size_categories, [categories.find(([limit]) => rows < limit)[1]], `size of ${rows} rows`)
  checkConfigs(card.configs, files)
  return card.configs.length
}

function checkConfigs(configs, files) {
  must(Array.isArray(configs) && configs.length > 0, 'no configs')
  const names = configs.map(c => c.config_name)
  must(names.every(n => typeof n === 'string' && n !== '' && !/[<>:/\\|?*]/.test(n)), `config_name is missing or cannot be one: ${names}`)
  must(new Set(names).size === names.length, `two configs of one name: ${names}`)
  same(configs.filter(c => c.default === true || c.config_name === 'default').map(c => c.config_name), ['default'], 'the default subset')
  const parquet = files.filter(f => f.endsWith('.parquet'))
  const inMonths = []
  for (const config of configs) {
    for (const key of Object.keys(config)) must(['config_name', 'data_files', 'default'].includes(key), `config key ${key}`)
    must(Array.isArray(config.data_files), `${config.config_name}: data_files is no list`)
    for (const entry of config.data_files) {
      same(Object.keys(entry).sort(), ['path', 'split'], `${config.config_name}: keys of data_files`)
      must(/^\w+(\.\w+)*$/.test(entry.split), `split ${entry.split}`)
      const matched = files.filter(f => toRegExp(entry.path).test(f))
      must(matched.length > 0, `${config.config_name}: ${entry.path} matches no file`)
      if (config.config_name === 'default') same(matched, parquet, 'the files of the default subset')
      else inMonths.push(...matched)
    }
  }
  same(inMonths.sort(), parquet, 'the files of all other subsets, each once')
}

/** In the loader's globs * does not cross folders. */
const toRegExp = glob => new RegExp(`^${glob.replace(/[.+^${}()|[\]\\]/g, '\\$&').replace(/\*/g, '[^/]*')}$`)

/** Runs the queries of the card, and those in its shell examples, on the folder. */
async function runQueries(text, repo, folder) {
  const blocks = [...text.matchAll(/^```sql\n(.*?)^```/gms)].flatMap(m => m[1].split(';'))
  const shell = [...text.matchAll(/ -c "\n(.*?)" \|$/gms)].map(m => m[1])
  const queries = [...blocks, ...shell].map(q => q.trim()).filter(q => q !== '')
  must(shell.length === 1 && blocks.length > 3, 'no queries in the card')
  for (const query of queries) {
    must(query.includes(`hf://datasets/${repo}/`), `a query of another repository: ${query}`)
    const answer = await ask(query.replaceAll(`hf://datasets/${repo}/`, `${folder}/`))
    must(answer.length > 0 || query.includes("'fra'"), `no answer: ${query}`)
  }
  return queries.length
}

/** Has DuckDB count the shards, and compares with the ledgers. */
async function checkLedgers(folder) {
  const shards = `read_parquet('${folder}/data/*/*/*.parquet', filename = true)`
  const month = `regexp_replace(filename, '.*/data/(....)/(..)/.*', '\\1-\\2')`
  const counted = await ask(`SELECT ${month} AS month, count(DISTINCT filename), count(*),
      count(*) FILTER (fetch_status BETWEEN 200 AND 299),
      count(*) FILTER (content_mime_detected IN ('text/html', 'application/xhtml+xml'))
    FROM ${shards} GROUP BY ALL ORDER BY month DESC`)
  same(await ask(`SELECT month, files, articles, status_2xx, html FROM '${folder}/stats.csv'`), counted, 'stats.csv')
  const languages = await ask(`SELECT ${month} AS month, split_part(content_languages, ',', 1) AS language, count(*) AS n
    FROM ${shards} GROUP BY ALL ORDER BY month DESC, n DESC, language NULLS FIRST`)
  same(await ask(`SELECT month, language, rows FROM '${folder}/languages.csv'`), languages, 'languages.csv')
  return `${counted.length} months, ${languages.length} languages`
}

const run = (command, folder) => execFileSync('bash', ['-euo', 'pipefail', '-c', command], { cwd: folder, stdio: ['ignore', 'pipe', 'inherit'] })

const filesOf = folder => readdirSync(folder, { recursive: true, withFileTypes: true }).filter(e => e.isFile())
  .map(e => join(e.parentPath ?? e.path, e.name).slice(folder.length + 1)).filter(f => !f.startsWith('.')).sort()

async function checkCard(folder, repo, data) {
  const text = readFileSync(`${folder}/README.md`, 'utf8')
  const [[rows]] = await ask(`SELECT count(*) FROM '${folder}/${data}'`)
  const configs = checkFrontMatter(text, filesOf(folder), Number(rows))
  const pictures = [...text.matchAll(/!\[[^\]]+\]\(([^)]+)\)/g)].map(m => m[1])
  must(pictures.length === 1 && existsSync(join(folder, pictures[0])), `pictures: ${pictures}`)
  return `${configs} subsets, ${await runQueries(text, repo, folder)} queries`
}

const work = process.argv[2]
const place = (name, folder, path) => {
  mkdirSync(dirname(join(folder, path)), { recursive: true })
  copyFileSync(join(work, name), join(folder, path))
}

const news = join(work, 'news-repo')
place('sample.parquet', news, 'data/2026/06/CC-NEWS-20260630000000-00001.parquet')
place('many.parquet', news, 'data/2026/07/CC-NEWS-20260701000000-00002.parquet')
place('sample.parquet', news, 'data/2026/07/CC-NEWS-20260702000000-00003.parquet')
run(`hf-ls --repo . | shard-stats -q | dataset-card -q --repo me/news --total 2026/07=2 -o .`, news)
console.log(`card of news: ${await checkCard(news, 'me/news', 'data/*/*/*.parquet')}`)
console.log(`ledgers: ${await checkLedgers(news)}`)

const urls = join(work, 'urls-repo')
for (const crawl of ['CC-MAIN-2026-21', 'CC-MAIN-2026-25']) {
  mkdirSync(join(urls, 'data', crawl), { recursive: true })
  await ask(`COPY (SELECT * EXCLUDE (content_language_confidence, content_language_declared, content_length, warc_record_id)
    REPLACE ('wikipedia.org' AS url_host_registered_domain)
    FROM '${work}/many.parquet') TO '${urls}/data/${crawl}/part-00000.parquet'`)
}
run(`hf-ls --repo . | shard-stats -q --foreign | dataset-card -q --kind urls --repo me/urls -o .`, urls)
console.log(`card of urls: ${await checkCard(urls, 'me/urls', 'data/*/*.parquet')}`)
