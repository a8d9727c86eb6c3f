# What import says about files that it cannot take, and about those that it can.
say() { tokconvert import "$@" -o out.tok || echo "exit $?"; }
: >empty.csv
say empty.csv
say --from azure empty.csv
echo 'TIMESTAMP,ContextTokens,GeneratedTokens' >heading.csv
say heading.csv
echo 'time,in,out' >other.csv
say other.csv
say --from azure other.csv
{ cat heading.csv; echo '2023-11-16 18:17:03.9799600,-5,10'; } >negative.csv
say negative.csv
say --skip-bad negative.csv
say missing.csv
mkdir folder
say folder
echo '{"timestamp": 0, "input_length": 600, "output_length":27 12, "hash_ids": [0, 2]}' >broken.jsonl
say broken.jsonl
echo '{"timestamp": 0, "input_length": 20, "output_length": 8, "hash_ids": [0, 1]}' >odd.jsonl
say odd.jsonl
echo '{"input_length": 20, "delay": 8}' >delay.jsonl
say delay.jsonl
say --from mooncak odd.jsonl
