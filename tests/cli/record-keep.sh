#!/bin/sh
# What tokrecord keeps of exchanges in all protocols: without text, with rules, a sample; and never a secret.
. "$top_srcdir/tests/cli/lib.sh"
for t in python3 jq zstd; do
	command -v $t >/dev/null || { skip 'what is kept' "no $t"; done_testing; exit 0; }
done
marks=$top_srcdir/tests/record/marks.py
python3 "$marks" serve >port 2>up.err &
pids="$pids $!"
i=0; until test -s port; do i=$((i + 1)); test $i -lt 100 || exit 99; sleep 0.1; done
upstream=http://127.0.0.1:$(cat port)
# record NAME OPTION...: all requests once through a recorder into NAME.tok, NAME.dump, NAME.plain.
record() {
	of=$1; shift
	tokrecord --listen 127.0.0.1:0 --upstream "$upstream" -o "$of.tok" -v "$@" 2>"$of.err" &
	recorder=$!
	pids="$pids $recorder"
	python3 "$marks" ask "http://127.0.0.1:$(wait_port "$of.err")" >"$of.n" || return 1
	kill -TERM $recorder && wait $recorder || return 1
	tokconvert dump "$of.tok" >"$of.dump" && tokconvert check "$of.tok" && zstd -qdc "$of.tok" >"$of.plain"
}
holds() { jq -es "$2" "$1.dump" >/dev/null || { head -c 3000 "$1.dump"; return 1; }; }
without() { ! grep -aoE ".{0,60}$2.{0,30}" "$1.plain" "$1.err" | sort | uniq -c | head -n 20 | grep .; }
requests='[.[] | select(.kind == "request")]'
responses='[.[] | select(.kind == "response" and .last)]'

check 'record with text' record text
check 'every exchange is there' holds text "($requests | length) == $(cat text.n) and ($responses | length) == $(cat text.n)"
check 'text is in it' sh -c 'test "$(grep -ac MARK-said text.plain)" -gt 0'
check 'no secret with text: headers, query, encoded, echoed' without text 'sk-TEST'
check 'names of secret headers stay' holds text "$requests | all(.headers.Authorization == \"<redacted>\" and .headers[\"x-api-key\"] == \"<redacted>\")"
check 'all six protocols' holds text "($requests | map(.api) | unique | length) == 6"

check 'record without text' record bare --no-text
check 'no word of a user or a model' without bare 'MARK'
check 'no secret' without bare 'sk-TEST'
check 'no token ids of a context' without bare '3133[5-8]'
check 'image data' without bare 'TUFSSy1'
check 'lengths and digests' holds bare "$requests | all(.body == null and .body_len > 0 and (.body_digest | length) == 64)"
check 'events have lengths' holds bare "[.[] | .events[]? | select(.class == \"content\")] | length > 0 and all(.text == null and .text_len > 0)"
check 'errors: kind, status, code' holds bare "$responses | map(select(.http_status == 400)) |
	length == 6 and all(.error_kind == \"http_400\" and (.error_text == null or (.error_text | test(\"^code [0-9]+\$\"))))"
check 'blocks' holds bare "$requests | map(select(.api == \"chat\" and .model == \"m\")) | length > 0 and
	all(.block_tokens == 512 and .prompt_bytes > 0 and (.blocks | length) == (.prompt_bytes / 2048 | ceil))"
check 'none where the prompt is elsewhere' holds bare "$requests | map(select(.api == \"responses\")) | all(.blocks == null and .prompt_bytes == null)"
check 'version of the API stays' holds bare "$requests | any(.endpoint == \"/v1/chat/completions?api-version=2024-10-21\")"
check 'the header says so' holds bare '.[0] | .no_text and .run.block_bytes == "2048" and .minor >= 1'
check 'same digests as with text' sh -c 'for n in text bare; do jq -r "select(.kind == \"request\") | .body_digest" $n.dump >$n.digests; done; cmp text.digests bare.digests'

check 'record with rules' record rules --redact '**.email' --redact user --redact 'messages[].content' --redact 'choices[].message.content'
check 'no mail address' without rules 'MARK-EMAIL'
check 'nor the user' without rules 'MARK-user'
check 'nor questions' without rules '"content":"MARK-(q|system|past|result)'
check 'the rest is there' sh -c 'grep -aq MARK-prompt rules.plain && grep -aq MARK-name rules.plain'
check 'requests say so' holds rules "$requests | all(.redacted == true)"
check 'no JSON is not kept' holds rules "$requests | map(select(.model == null)) | length == 6 and all(.body == null and .body_len == 12)"
check 'bodies are JSON' holds rules "$requests | map(select(.body)) | length > 0 and all(.body | fromjson | .user == \"<redacted>\")"
check 'digests are of what was sent' sh -c 'jq -r "select(.kind == \"request\") | .body_digest" rules.dump | cmp - text.digests'
check 'whole answers are blotted' holds rules "[.[] | .events[]? | select(.class == \"content\" and .text == \"<redacted>\")] | length > 0"

bad_rule() { fails 2 tokrecord --upstream "$upstream" -o x.tok --redact 'messages[*].content' 2>err && grep -q "did you mean 'messages\[\].content'" err && ! test -e x.tok; }
check 'a wrong rule: the right spelling' bad_rule
echo 'user.' >rules.txt
bad_file() { fails 2 tokrecord --upstream "$upstream" -o x.tok --redact-file rules.txt 2>err && grep -q "rules.txt: line 1: .*did you mean 'user'" err; }
check 'in a file' bad_file
bad_share() { fails 2 tokrecord --upstream "$upstream" -o x.tok --sample 0 2>err && grep -q "10%" err; }
check 'a wrong share' bad_share
short_salt() { echo short >salt; fails 1 tokrecord --upstream "$upstream" -o x.tok --salt-file salt 2>err && grep -q '16 to 4096' err; }
check 'a salt that is too short' short_salt
done_testing
