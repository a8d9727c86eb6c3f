// What a user of the openai package does: a streamed chat, a completion, a plain answer, an
// aborted stream.  Prints one JSON line with what it got, for the test to compare.
import OpenAI from 'openai'

const client = new OpenAI({ baseURL: process.argv[2] + '/v1', apiKey: 'sk-TEST-openai-client', maxRetries: 0 })
const model = (await client.models.list()).data[0].id
const messages = [{ role: 'user', content: 'Tell me about licenses' }]
const out = { model }

let text = '', usage = null
const stream = await client.chat.completions.create({ model, messages, max_tokens: 48, temperature: 0.8, seed: 7,
	stream: true, stream_options: { include_usage: true } })
for await (const chunk of stream) {
	text += chunk.choices[0]?.delta?.content ?? ''
	usage = chunk.usage ?? usage
}
out.chat = text
out.tokens = usage.completion_tokens

text = ''
for await (const chunk of await client.completions.create({ model, prompt: 'You may', max_tokens: 16, stream: true }))
	text += chunk.choices[0]?.text ?? ''
out.completion = text

out.plain = (await client.chat.completions.create({ model, messages, max_tokens: 12 })).choices[0].message.content

const long = await client.chat.completions.create({ model, messages, max_tokens: 100000, ignore_eos: true, stream: true })
let chunks = 0
for await (const chunk of long) {
	if (++chunks === 5) {
		long.controller.abort()
		break
	}
}
console.log(JSON.stringify(out))
