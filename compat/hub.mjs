// The official JavaScript client against a hub: the referee of lib/hub/hubtest,
// and the outside party that reads what our commands wrote there.
//
//   node hub.mjs check                          starts a test hub and checks it (HUBTEST names its program)
//   node hub.mjs put ENDPOINT REPO [PATH FILE]… uploads in one commit, prints its id
//   node hub.mjs ls ENDPOINT REPO [PATH]…       prints a JSON line for each file, or for those that
//                                               are looked up
//   node hub.mjs get ENDPOINT REPO PATH         prints a file's bytes
//
// put, ls and get take the token from HF_TOKEN.
import { spawn } from 'node:child_process'
import { createHash, randomBytes } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { createInterface } from 'node:readline'
import { commit, createBranch, createRepo, deleteFiles, deleteRepo, downloadFile, listCommits, listFiles, pathsInfo, whoAmI } from '@huggingface/hub'

export const sha256 = (bytes) => createHash('sha256').update(bytes).digest('hex')
export const blobId = (bytes) => createHash('sha1').update(`blob ${bytes.length}\0`).update(bytes).digest('hex')

// access is what every call of the client is told.
export const access = (endpoint, repo, token = process.env.HF_TOKEN) => ({
  hubUrl: endpoint, repo: { type: 'dataset', name: repo }, ...(token && { accessToken: token })
})

// upload puts files, bytes by path, in one commit, and returns its id.
export async function upload(at, files, title = 'put', more = {}) {
  const operations = Object.entries(files).map(([path, bytes]) => ({ operation: 'addOrUpdate', path, content: new Blob([bytes]) }))
  return await commit({ ...at, operations, title, useXet: false, ...more })
}

export async function list(at, more = {}) {
  const entries = []
  for await (const entry of listFiles({ ...at, recursive: true, ...more })) entries.push(entry)
  return entries.sort((a, b) => (a.path < b.path ? -1 : 1))
}

// download returns the bytes of a file, of some of it if start and end are given, or null.
// This client puts a path into the URL as it is, so it is escaped here.
export async function download(at, path, [start, end] = [], more = {}) {
  const escaped = path.split('/').map(encodeURIComponent).join('/')
  const blob = await downloadFile({ ...at, path: escaped, xet: false, ...more })
  if (!blob) return null
  return Buffer.from(await (start === undefined ? blob : blob.slice(start, end)).arrayBuffer())
}

export function must(ok, what) {
  if (!ok) throw new Error(what)
}

export async function mustFail(doing, status, what) {
  const error = await doing.then(() => null, (error) => error)
  must(error?.statusCode === status, `${what}: ${error ?? 'no error'}, want status ${status}`)
}

// testHub starts a hub and returns its URLs, a function for its control path, and one that ends it.
async function testHub(...options) {
  must(process.env.HUBTEST, 'set HUBTEST to the program that lib/hub/hubtest/serve builds')
  const child = spawn(process.env.HUBTEST, options, { stdio: ['pipe', 'pipe', 'inherit'] })
  const gone = new Promise((_, reject) => child.on('exit', (code) => reject(new Error(`the test hub ended with ${code}`))))
  gone.catch(() => {})
  const first = new Promise((resolve) => createInterface(child.stdout).once('line', resolve))
  const { hub, storage, token } = JSON.parse(await Promise.race([first, gone]))
  const control = async (what, body) => {
    const answer = await fetch(`${hub}/_hubtest/${what}`, body && { method: 'POST', body: JSON.stringify(body) })
    must(answer.ok, `${what}: ${answer.status}`)
    return what.startsWith('log') ? (await answer.text()).trim().split('\n').map((line) => JSON.parse(line)) : await answer.json()
  }
  return { hub, storage, token, control, end: () => child.stdin.end() }
}

const odd = 'c#/a%20b +?.parquet'
const files = {
  'README.md': Buffer.from('---\nlicense: mit\n---\n# demo ünïcode\n'),
  'data/part.parquet': Buffer.concat([Buffer.from('PAR1'), randomBytes(300_000), Buffer.from('PAR1')]),
  'data/big.parquet': Buffer.concat([Buffer.from('PAR1'), randomBytes(35_000_000), Buffer.from('PAR1')]),
  [odd]: randomBytes(70_000),
  'notes/ä~é [1]&=%.txt': Buffer.from('an odd name, kept by git')
}

// sameEntry compares what a listing says of a file with its bytes.
function sameEntry(entry, path, bytes) {
  must(entry?.type === 'file' && entry.path === path && entry.size === bytes.length, `${path}: ${JSON.stringify(entry)}`)
  if (path.endsWith('.parquet')) {
    const pointer = Buffer.from(`version https://git-lfs.github.com/spec/v1\noid sha256:${sha256(bytes)}\nsize ${bytes.length}\n`)
    must(entry.lfs?.oid === sha256(bytes) && entry.lfs.size === bytes.length, `${path}: lfs is ${JSON.stringify(entry.lfs)}`)
    must(entry.lfs.pointerSize === pointer.length && entry.oid === blobId(pointer), `${path}: not the pointer's oid or size`)
  } else {
    must(entry.oid === blobId(bytes) && !entry.lfs, `${path}: not git's id of the blob`)
  }
}

async function checkUpload(hub, at) {
  must((await whoAmI({ hubUrl: hub.hub, accessToken: hub.token })).name === 'me', 'whoami')
  await createRepo({ ...at })
  await mustFail(createRepo({ ...at }), 409, 'a repo that is there')
  const { commit } = await upload(at, files)
  must(/^[0-9a-f]{40}$/.test(commit.oid), `commit: ${JSON.stringify(commit)}`)

  const routes = (await hub.control('log')).map((r) => r.route)
  const times = (route) => routes.filter((r) => r === route).length
  must(times('put-object') === 2 && times('put-part') === 3 && times('complete') === 1, `uploads: ${routes}`)
  await upload(at, files, 'again')
  const again = (await hub.control('log')).map((r) => r.route)
  must(again.filter((r) => r.startsWith('put-')).length === 5, 'a second upload sends no bytes')
}

async function checkListing(hub, at) {
  const entries = await list(at)
  const found = new Map(entries.map((entry) => [entry.path, entry]))
  for (const [path, bytes] of Object.entries(files)) sameEntry(found.get(path), path, bytes)
  must(found.get('data').type === 'directory' && found.get('c#').type === 'directory', 'the folders are listed')
  must(found.size === Object.keys(files).length + 4 && found.size === entries.length, `listing: ${[...found.keys()]}`)
  const pages = (await hub.control('log?route=tree')).length
  must(pages === Math.ceil(entries.length / 2), `${pages} pages of 2 for ${entries.length} entries`)
  for (const form of ['several', 'relative', '']) {
    await hub.control('settings', { next_link: form })
    if (form === 'relative') continue // this client wants absolute links
    must((await list(at)).length === entries.length, `listing by Link ${form}`)
  }
  const expanded = await list(at, { path: 'data', expand: true })
  must(expanded.length === 2 && expanded.every((e) => e.lastCommit?.title === 'again' || e.lastCommit?.title === 'put'), 'expand')

  const asked = ['missing', odd, 'data', 'README.md']
  const infos = await pathsInfo({ ...at, paths: asked })
  must(infos.length === 3, `pathsInfo: ${JSON.stringify(infos)}`)
  for (const info of infos) if (info.type === 'file') sameEntry(info, info.path, files[info.path])
  await mustFail(list(at, { path: 'nowhere' }), 404, 'a folder that is not there')
  await mustFail(list(at, { revision: 'nobranch' }), 404, 'a branch that is not there')
}

async function checkDownload(at) {
  for (const [path, bytes] of Object.entries(files)) {
    must((await download(at, path))?.equals(bytes), `${path}: other bytes came back`)
    const [start, end] = [3, Math.min(bytes.length, 1000)]
    must((await download(at, path, [start, end])).equals(bytes.subarray(start, end)), `${path}: another range came back`)
  }
  const big = files['data/big.parquet']
  must((await download(at, 'data/big.parquet', [big.length - 8])).equals(big.subarray(-8)), 'the tail of the big file')
  must((await download(at, 'nope.txt')) === null, 'a file that is not there')
}

async function checkChanges(hub, at) {
  const history = async (more) => {
    const commits = []
    for await (const c of listCommits({ ...at, batchSize: 1, ...more })) commits.push(c)
    return commits
  }
  const before = await history()
  must(before[0].title === 'again' && before.at(-1).title === 'initial commit', `history: ${JSON.stringify(before)}`)
  await mustFail(upload(at, { 'a.txt': Buffer.from('a') }, 'late', { parentCommit: before[1].oid }), 412, 'a parent that is no longer the head')
  await upload(at, { 'a.txt': Buffer.from('a') }, 'in time', { parentCommit: before[0].oid })

  await createBranch({ ...at, branch: 'side/way' })
  await mustFail(createBranch({ ...at, branch: 'side/way' }), 409, 'a branch that is there')
  await deleteFiles({ ...at, paths: ['data/big.parquet'], branch: 'side/way', commitTitle: 'rm' })
  await mustFail(deleteFiles({ ...at, paths: ['data/never'] }), 404, 'deleting what is not there')
  must((await download(at, 'data/big.parquet', [], { revision: 'side/way' })) === null, 'deleted from the branch')
  must((await download(at, 'data/big.parquet', [0, 4])).toString() === 'PAR1', 'still on main')

  const pr = await upload(at, { 'pr.txt': Buffer.from('by pull request') }, 'please', { isPullRequest: true })
  must(pr.pullRequestUrl?.endsWith('/discussions/1'), `pull request: ${JSON.stringify(pr)}`)
  must((await download(at, 'pr.txt')) === null, 'a pull request is not on main')
  must((await download(at, 'pr.txt', [], { revision: 'refs/pr/1' })).toString() === 'by pull request', 'the pull request has the file')

  const state = await hub.control('state')
  must(!state.token_leaked, 'the token came to the storage')
  must(state.uploads === 0, 'no upload is left open')
  await deleteRepo({ ...at })
  await mustFail(list(at), 404, 'a repo that was deleted')
  await mustFail(list(access(at.hubUrl, 'me/demo', 'hf_bad')), 401, 'a bad token')
}

async function check() {
  const hub = await testHub('--page-size', '2')
  try {
    const at = access(hub.hub, 'me/demo', hub.token)
    await checkUpload(hub, at)
    await checkListing(hub, at)
    await checkDownload(at)
    await checkChanges(hub, at)
    const { length } = await hub.control('log')
    console.log(`  @huggingface/hub: ${Object.keys(files).length} files up, listed, down and deleted in ${length} requests`)
  } finally {
    hub.end()
  }
}

const commands = {
  check,
  async put(endpoint, repo, ...pairs) {
    const files = {}
    for (let i = 0; i < pairs.length; i += 2) files[pairs[i]] = await readFile(pairs[i + 1])
    console.log((await upload(access(endpoint, repo), files)).commit.oid)
  },
  async ls(endpoint, repo, ...paths) {
    const at = access(endpoint, repo)
    for (const { type, path, size, oid, lfs } of paths.length ? await pathsInfo({ ...at, paths }) : await list(at)) {
      if (type === 'file') console.log(JSON.stringify({ path, size, sha256: lfs?.oid, oid }))
    }
  },
  async get(endpoint, repo, path) {
    const bytes = await download(access(endpoint, repo), path)
    must(bytes, `${path}: is not there`)
    process.stdout.write(bytes)
  }
}

if (process.argv[1] === new URL(import.meta.url).pathname) {
  const [command, ...rest] = process.argv.slice(2)
  must(commands[command], 'usage: node hub.mjs check | put ENDPOINT REPO [PATH FILE]… | ls ENDPOINT REPO [PATH]… | get ENDPOINT REPO PATH')
  await commands[command](...rest)
}
