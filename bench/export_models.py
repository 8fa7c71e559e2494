"""Exports small models of torchvision, timm, transformers and diffusers with random weights, in several ways, for bench/optimize.py:

  PYTHON bench/export_models.py FOLDER [--filter NAME] [--ways ts17d,dy18d]

PYTHON has torch, torchvision, timm, transformers, diffusers, onnx and onnxscript (see bench/exports.py). A way is an exporter (ts: TorchScript, dy:
dynamo) and an opset; d: with an open batch and, for texts, an open length; h: in float16. Nothing is downloaded. Not part of any test.
Statistics of BatchNormalization are random, too, because with those of a new model, folding it would change nothing.
"""
import argparse
import logging
import re
import sys
import time
import warnings
from pathlib import Path

sys.path.pop(0)  # this folder, whose profile.py would hide that of the standard library, which torch needs
import torch  # noqa: E402

warnings.filterwarnings("ignore")
logging.disable(logging.WARNING)
torch.set_num_threads(1)
TEXT = ["input_ids", "attention_mask"]
SMALL = {"hidden_size": 32, "num_hidden_layers": 2, "num_attention_heads": 4, "intermediate_size": 64, "vocab_size": 99}
DECODER = {**SMALL, "num_key_value_heads": 2, "max_position_embeddings": 64}


def image(size):
    return (torch.randn(1, 3, size, size),)


def text():
    return torch.randint(0, 99, (1, 12)), torch.ones(1, 12, dtype=torch.int64)


class Keywords(torch.nn.Module):
    """Takes positional arguments, as an exporter passes them, and returns one tensor."""

    def __init__(self, inner, names):
        super().__init__()
        self.inner, self.names = inner, names

    def forward(self, *values):
        return self.inner(**dict(zip(self.names, values)), return_dict=False)[0]


def vision(name, size=64, **options):
    def make():
        import torchvision
        found = getattr(torchvision.models, name, None) or getattr(torchvision.models.segmentation, name)
        return found(weights=None, **options), image(size)
    return make


def timm_model(name, size=64):
    def make():
        import timm
        return timm.create_model(name, pretrained=False), image(size)
    return make


def hugging(model, config, names=TEXT, inputs=text, **options):
    def make():
        import transformers
        settings = getattr(transformers, config)(**options)
        if hasattr(settings, "use_cache"):
            settings.use_cache = False
        return Keywords(getattr(transformers, model)(settings), names), inputs()
    return make


def swin():
    import torchvision
    return torchvision.models.SwinTransformer([4, 4], 24, [2, 2], [2, 4], [4, 4]), image(64)


def unet():
    import diffusers
    made = diffusers.UNet2DConditionModel(
        sample_size=8, cross_attention_dim=32, block_out_channels=(32, 64), down_block_types=("CrossAttnDownBlock2D", "DownBlock2D"),
        up_block_types=("UpBlock2D", "CrossAttnUpBlock2D"), layers_per_block=1, norm_num_groups=8, attention_head_dim=8)
    inputs = torch.randn(1, 4, 8, 8), torch.ones(1, dtype=torch.int64), torch.randn(1, 5, 32)
    return Keywords(made, ["sample", "timestep", "encoder_hidden_states"]), inputs


MADE = {
    **{name: vision(name) for name in ("resnet18", "mobilenet_v3_small", "shufflenet_v2_x0_5", "squeezenet1_1", "regnet_y_400mf", "mnasnet0_5", "efficientnet_b0")},
    "googlenet": vision("googlenet", 96, init_weights=False, aux_logits=False), "lraspp": vision("lraspp_mobilenet_v3_large", weights_backbone=None), "swin": swin,
    **{name: timm_model(name) for name in ("edgenext_xx_small", "ghostnet_050", "tf_mobilenetv3_small_075", "mobilevit_xxs", "resnest14d", "poolformer_s12",
                                           "convnext_atto", "fastvit_t8", "repvgg_a0", "tf_efficientnet_lite0", "nf_regnet_b0")},
    **{name: timm_model(name, 224) for name in ("levit_128s", "cait_xxs24_224", "resmlp_12_224", "xcit_nano_12_p16_224")},
    "bert": hugging("BertModel", "BertConfig", **SMALL), "albert": hugging("AlbertModel", "AlbertConfig", embedding_size=16, **SMALL),
    "distilbert": hugging("DistilBertModel", "DistilBertConfig", dim=32, n_layers=2, n_heads=4, hidden_dim=64, vocab_size=99),
    "roberta": hugging("RobertaModel", "RobertaConfig", max_position_embeddings=64, **SMALL),
    "deberta": hugging("DebertaV2Model", "DebertaV2Config", relative_attention=True, pos_att_type=["p2c", "c2p"], max_position_embeddings=64, **SMALL),
    "t5": hugging("T5EncoderModel", "T5Config", d_model=32, d_ff=64, d_kv=8, num_heads=4, num_layers=2, vocab_size=99),
    "gpt2": hugging("GPT2LMHeadModel", "GPT2Config", n_embd=32, n_layer=2, n_head=4, vocab_size=99, n_positions=64),
    "gpt_neox": hugging("GPTNeoXForCausalLM", "GPTNeoXConfig", max_position_embeddings=64, **SMALL),
    "phi": hugging("PhiForCausalLM", "PhiConfig", max_position_embeddings=64, **SMALL), "llama": hugging("LlamaForCausalLM", "LlamaConfig", **DECODER),
    "qwen2": hugging("Qwen2ForCausalLM", "Qwen2Config", **DECODER), "gemma": hugging("GemmaForCausalLM", "GemmaConfig", head_dim=8, **DECODER),
    "clip_text": hugging("CLIPTextModel", "CLIPTextConfig", **SMALL),
    "clip_vision": hugging("CLIPVisionModel", "CLIPVisionConfig", ["pixel_values"], lambda: image(32), hidden_size=32, num_hidden_layers=2,
                           num_attention_heads=4, intermediate_size=64, image_size=32, patch_size=8),
    "segformer": hugging("SegformerForSemanticSegmentation", "SegformerConfig", ["pixel_values"], lambda: image(64), hidden_sizes=[8, 16, 24, 32],
                         depths=[1, 1, 1, 1], num_attention_heads=[1, 2, 2, 4], decoder_hidden_size=16),
    "wav2vec2": hugging("Wav2Vec2Model", "Wav2Vec2Config", ["input_values"], lambda: (torch.randn(1, 2000),), conv_dim=[32] * 7, num_conv_pos_embeddings=16,
                        num_conv_pos_embedding_groups=4, **SMALL),
    "unet": unet,
}


def with_random_statistics(module):
    torch.manual_seed(3)
    for each in module.modules():
        if getattr(each, "running_mean", None) is None:
            continue
        each.running_mean.normal_(0, 0.2)
        each.running_var.uniform_(0.5, 1.5)
        if each.weight is not None:
            each.weight.data.uniform_(0.5, 1.5)
            each.bias.data.normal_(0, 0.2)
    return module


def is_text(value):
    return value.dtype == torch.int64 and value.dim() == 2


def export(make, way, path):
    torch.manual_seed(1)
    module, inputs = make()
    module = with_random_statistics(module.eval())
    opset, is_open = int(re.search(r"\d+", way)[0]), way.endswith("d")
    if "h" in way[2:]:
        module, inputs = module.half(), tuple(each.half() if each.is_floating_point() else each for each in inputs)
    names = [f"in{i}" for i in range(len(inputs))]
    with torch.no_grad():
        if way.startswith("ts"):
            dims = {name: {0: "batch", 1: "len"} if is_text(each) else {0: "batch"} for name, each in zip(names, inputs)} if is_open else None
            return torch.onnx.export(module, inputs, str(path), dynamo=False, opset_version=opset, input_names=names, dynamic_axes=dims)
        shapes = None
        if is_open:
            dynamic = torch.export.Dim.DYNAMIC
            inputs = tuple(torch.cat([each, each]) for each in inputs)  # torch would turn a batch of one into a constant
            shapes = tuple({0: dynamic, 1: dynamic} if is_text(each) else {0: dynamic} for each in inputs)
            shapes = (shapes,) if isinstance(module, Keywords) else shapes
        return torch.onnx.export(module, inputs, str(path), dynamo=True, opset_version=opset, dynamic_shapes=shapes, verbose=False, external_data=False,
                                 optimize=False)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--filter", default="")
    parser.add_argument("--ways", default="ts17d,dy18d")
    arguments = parser.parse_args()
    arguments.folder.mkdir(exist_ok=True)
    for way in arguments.ways.split(","):
        for name, make in MADE.items():
            path = arguments.folder / f"{name}.{way}.onnx"
            if arguments.filter not in name or path.exists():
                continue
            begin = time.time()
            try:
                export(make, way, path)
                print(f"{path.name}: {path.stat().st_size:,} bytes in {time.time() - begin:.0f} s", flush=True)
            except Exception as error:  # noqa: BLE001 (an exporter fails in many ways)
                path.unlink(missing_ok=True)
                print(f"{path.name}: {type(error).__name__} {str(error)[:120]!r}", flush=True)


if __name__ == "__main__":
    main()
