# One H200 NVL (141 GB), a 9B model in BF16, vLLM 0.30.0 (FLASH_ATTN, max-model-len 262144,
# gpu-memory-utilization 0.88), tensor parallel 1.
#
# This is a fit to published figures (a llm-inference-bench v0.6.2 matrix, 30 s a cell),
# not a measurement of ours.  K = 1024 tokens.  Residual = (fit - published) / published.
#
# Decode: step_base_us, step_sequence_us and step_context_ns are the least squares of
# relative error over the eight valid cells; a cell's mean context is its prompt plus half
# of what was generated per request.  Published and fitted output tok/s of all requests:
#
#     context x requests   published    fit    residual
#       8K x 1               162.0     160.7    -0.8 %
#      16K x 1               160.0     159.3    -0.4 %
#      32K x 1               156.7     156.6    -0.1 %
#      64K x 2               276.5     281.6    +1.8 %
#      64K x 4               495.0     494.2    -0.2 %
#      16K x 128            4790.4    4807.6    +0.4 %
#      32K x 64             2755.9    2735.9    -0.7 %
#     128K x 16              763.7     764.7    +0.1 %
#
# Request cost: request_us and request_token_us fit the published TTFT of a warm prompt
# cache with one request (66, 92, 120 ms at 8K, 16K, 32K; +3, -6, +3 %), less one step.
#
# Prefill: prefill_token_us and prefill_pair_ns fit the published cold TTFT, less the
# above.  The published rate is not smooth (15.9, 15.4, 21, 25, 22.8, 17.5, 17.9 thousand
# tok/s), so no curve of two terms meets it.  A third, constant term would halve the
# residuals but give every short prompt 280 ms, of which the figures say nothing.
#
#     context    published TTFT ms    fit    residual
#       8K             515            425     -18 %
#      16K            1057            808     -24 %
#      32K            1538           1581      +3 %
#      64K            2574           3156     +23 %
#     128K            5646           6414     +14 %
#     251K           14426          13086      -9 %
#     256K           14405          13364      -7 %
#
# KV capacity: requests x (context + 4096) tokens had to fit.  128 x 16K (2621440) ran;
# 16 x 251K (4177920) did not, nor anything larger.  Any value between agrees with the
# published pattern; this is their geometric mean.
toktrace_profile = 1
model = h200-9b-bf16
max_model_len = 262144        # tokens, prompt and output
max_num_seqs = 256            # requests; not published (at least 128)
max_batched_tokens = 8192     # tokens a step; not published (the engine's default)
kv_tokens = 3309392           # tokens
block_tokens = 16             # tokens; not published (the engine's default)
prefix_cache = 1              # on: the published TTFT was taken with a warm one
step_base_us = 6107.6         # us a step
step_sequence_us = 47.306     # us a request in decode
step_context_ns = 6.66717     # ns a token of context in decode
prefill_token_us = 43.391     # us a prompt token
prefill_pair_ns = 0.033798    # ns a pair of prompt tokens
request_us = 43407            # us a request, before the queue
request_token_us = 2.2487     # us a prompt token, before the queue
jitter = 0.02                 # not published
output_tokens = 256           # tokens of an answer when the request says nothing
