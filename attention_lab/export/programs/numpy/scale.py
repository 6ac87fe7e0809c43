"""Scale: what a transformer has to learn, counted part by part in whole numbers."""

# given
d_model = 12288
d_k = 128
num_heads = 96
num_layers = 96
d_v = 128
d_ff = 49152
num_kv_heads = 96
vocabulary = 50257
context = 2048
decoder_layers = 0
biases = True
tied_embeddings = True
attention_biases = True
learned_positions = True
final_norm = True
attention_only = False
output_bias = False
# end given

matrix = d_model * d_k
query_and_output = d_model * d_k + d_v * d_model
key_and_value = d_model * d_k + d_model * d_v
layer = num_heads * query_and_output + num_kv_heads * key_and_value

attention_blocks = num_layers + 2 * decoder_layers  # a decoder layer attends twice
layers = 0 if attention_only else num_layers + decoder_layers  # with feed-forward
stacks = 2 if decoder_layers else 1
attention = layer * attention_blocks
feed_forward = 2 * d_model * d_ff * layers

tables = 1 if tied_embeddings else stacks + 1
embeddings = tables * vocabulary * d_model + stacks * context * d_model * learned_positions
normed = 0 if attention_only else attention_blocks + layers + stacks * final_norm
norms = normed * d_model * (2 if biases else 1)
made = num_heads * d_k + num_kv_heads * (d_k + d_v) + d_model  # numbers that the maps of attention make
added = made * attention_blocks * attention_biases + (d_ff + d_model) * layers * biases
added += vocabulary * output_bias
total = attention + feed_forward + embeddings + norms + added

cells = context**2
cache = context * (d_k + d_v) * num_kv_heads * (2 * decoder_layers or num_layers) * 2  # two bytes a number

print("one matrix:", matrix)
print("one head:", query_and_output + key_and_value)
print("one layer:", layer)
print("attention:", attention)
print("feed-forward:", feed_forward)
print("embeddings:", embeddings)
print("norms:", norms)
print("biases:", added)
print("total:", total)
print("share of attention:", attention / total)
print("cells in one pattern:", cells)
print("bytes in the cache:", cache)
