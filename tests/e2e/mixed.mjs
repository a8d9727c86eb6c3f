// What users of the openai, @anthropic-ai/sdk and ollama packages and of fetch do, many at a
// time, streaming and not.  Prints a JSON line per exchange with what the client got.
import { createHash } from 'node:crypto'
import OpenAI from 'openai'
import Anthropic from '@anthropic-ai/sdk'
import { Ollama } from 'ollama'

const [base, count] = [process.argv[2], Number(process.argv[3])]
const openai = new OpenAI({ baseURL: base + '/v1', apiKey: 'sk-TEST-mixed', maxRetries: 0 })
const anthropic = new Anthropic({ baseURL: base, apiKey: 'sk-TEST-mixed', maxRetries: 0 })
const ollama = new Ollama({ host: base })
const model = 'mix'
const image = 'data:image/png;base64,' + 'iVBORw0KGgo'.repeat(280000)
const look = { type: 'function', function: { name: 'look', parameters: {} } }

async function join(stream, piece) {
	let text = ''
	for await (const x of stream) text += piece(x) ?? ''
	return text
}
const one = text => [{ role: 'user', content: text }]

const ways = [
	async t => join(await openai.chat.completions.create({ model, messages: one(t), stream: true }),
		c => c.choices[0]?.delta?.content),
	async t => (await openai.chat.completions.create({ model, messages: one(t) })).choices[0].message.content,
	async t => join(await openai.chat.completions.create({ model, messages: one(t), stream: true, tools: [look] }),
		c => c.choices[0]?.delta?.tool_calls?.[0]?.function?.arguments),
	async t => join(await openai.chat.completions.create({ model, stream: true, messages: [{ role: 'user', content: [
		{ type: 'text', text: t }, { type: 'image_url', image_url: { url: image } }] }] }), c => c.choices[0]?.delta?.content),
	async t => join(await openai.completions.create({ model, prompt: t, stream: true }), c => c.choices[0]?.text),
	async t => join(await openai.responses.create({ model, input: t, stream: true }),
		e => e.type === 'response.output_text.delta' ? e.delta : ''),
	async t => (await openai.responses.create({ model, input: t })).output_text,
	async t => join(await anthropic.messages.create({ model, max_tokens: 50, messages: one(t), stream: true }),
		e => e.type === 'content_block_delta' && e.delta.type === 'text_delta' ? e.delta.text : ''),
	async t => (await anthropic.messages.create({ model, max_tokens: 50, messages: one(t) })).content
		.map(b => b.type === 'text' ? b.text : '').join(''),
	async t => join(await ollama.chat({ model, messages: one(t), stream: true }), p => p.message.content),
	async t => (await ollama.generate({ model, prompt: t, stream: false })).response,
	async t => join(await ollama.generate({ model, prompt: t, stream: true }), p => p.response),
]

async function byFetch(t) {
	const body = JSON.stringify({ model, messages: one(t), stream: true })
	const r = await fetch(base + '/v1/chat/completions', { method: 'POST', body, headers: { 'Content-Type': 'application/json' } })
	const hash = createHash('sha256')
	for await (const piece of r.body) hash.update(piece)
	// fetch unpacks: its digest can be compared only where nothing was packed.
	return { request: createHash('sha256').update(body).digest('hex'), http: r.status,
		response: r.headers.get('content-encoding') ? null : hash.digest('hex') }
}

async function exchange(i) {
	const key = `mixed ${i} \u{1f98a}`
	if (i % (ways.length + 1) === ways.length) return byFetch(key)
	try {
		return { key, text: await ways[i % (ways.length + 1)](key), failed: false }
	} catch (e) {
		return { key, failed: true, why: String(e) }
	}
}

let next = 0
async function worker() {
	while (next < count) console.log(JSON.stringify(await exchange(next++)))
}
await Promise.all(Array.from({ length: 16 }, worker))
