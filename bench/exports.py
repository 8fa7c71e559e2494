"""Compares architectures of `onnxpress generate` with the same ones in torchvision, timm, transformers and diffusers:

  PYTHON bench/exports.py [--filter NAME] [--export]

PYTHON has torch, torchvision, timm, transformers, diffusers, onnx and onnxscript (python3 -m venv torch && torch/bin/pip install
torch torchvision timm transformers diffusers onnx onnxscript: 6 GB, ten minutes). Not part of any test. Models are made from their public
configurations, without weights from the network.

Parameters are those of the module (with the running statistics of BatchNormalization, which are weights in an ONNX model); multiply-adds
are half the operations that torch's FlopCounterMode counts on the device `meta`, which computes nothing. With --export the module is also
exported to ONNX, and that file is profiled as well.
"""
import argparse
import json
import os
import re
import subprocess
import sys
import tempfile
import warnings
from pathlib import Path

sys.path.pop(0)  # this folder, whose profile.py would hide that of the standard library, which torch needs
import torch  # noqa: E402
from torch.utils.flop_counter import FlopCounterMode  # noqa: E402

ROOT = Path(__file__).resolve().parent.parent
ONNXPRESS = Path(os.environ.get("ONNXPRESS", ROOT / "build" / "onnxpress"))
sys.path.insert(0, str(ROOT / "tests" / "python"))
from architectures import ROWS  # noqa: E402

warnings.filterwarnings("ignore")


def image(size, channels=3):
    return (torch.zeros(1, channels, size, size),)


def ids(length):
    return (torch.zeros(1, length, dtype=torch.int64),)


def vision(name, size=224, **options):
    def make():
        import torchvision
        found = getattr(torchvision.models, name, None) or getattr(torchvision.models.segmentation, name)
        return found(weights=None, **options), image(size)
    return make


def timm_model(name, size):
    def make():
        import timm
        return timm.create_model(name, pretrained=False), image(size)
    return make


def hugging(model, config, inputs, **options):
    def make():
        import transformers
        return getattr(transformers, model)(getattr(transformers, config)(**options)), inputs

    def exportable():
        module, _ = make()
        module.config.use_cache = False  # exporters refuse cache objects
        return Keywords(module, ["input_ids"]), inputs
    make.exportable = exportable
    return make


class Keywords(torch.nn.Module):
    """Takes positional arguments, as an exporter passes them, and returns tensors."""

    def __init__(self, inner, names):
        super().__init__()
        self.inner, self.names = inner, names

    def forward(self, *values):
        made = self.inner(**dict(zip(self.names, values)), return_dict=False)
        return tuple(each for each in made if isinstance(each, torch.Tensor))


def t5():
    import transformers
    made = transformers.T5ForConditionalGeneration(transformers.T5Config(d_model=768, d_ff=3072, d_kv=64, num_heads=12, num_layers=12, num_decoder_layers=12))
    return Keywords(made, ["input_ids", "decoder_input_ids"]), ids(8) + ids(8)


def unet():
    import diffusers
    made = diffusers.UNet2DConditionModel(sample_size=64, cross_attention_dim=768)
    return Keywords(made, ["sample", "timestep", "encoder_hidden_states"]), (torch.zeros(2, 4, 64, 64), torch.zeros(2, dtype=torch.int64), torch.zeros(2, 77, 768))


def vae(encoder):
    def make():
        import diffusers
        made = diffusers.AutoencoderKL(block_out_channels=(128, 256, 512, 512), down_block_types=("DownEncoderBlock2D",) * 4, layers_per_block=2,
                                       up_block_types=("UpDecoderBlock2D",) * 4, latent_channels=4, sample_size=512)
        chain = torch.nn.Sequential(made.encoder, made.quant_conv) if encoder else torch.nn.Sequential(made.post_quant_conv, made.decoder)
        return chain, (torch.zeros(1, 3, 512, 512) if encoder else torch.zeros(1, 4, 64, 64),)
    return make


class Detector(torch.nn.Module):
    """The parts of R-CNN whose work only depends on the numbers of boxes and masks; the steps in between choose boxes."""

    def __init__(self, inner):
        super().__init__()
        self.inner = inner

    def forward(self, image, boxes, masks=None):
        features = list(self.inner.backbone(image).values())
        scores, deltas = self.inner.rpn.head(features)
        heads = self.inner.roi_heads
        classes, places = heads.box_predictor(heads.box_head(boxes))
        drawn = () if masks is None else (heads.mask_predictor(heads.mask_head(masks)),)
        return (*scores, *deltas, classes, places, *drawn)


def rcnn(name, size, boxes, masks=0):
    def make():
        import torchvision
        inner = getattr(torchvision.models.detection, name)(weights=None, weights_backbone=None, num_classes=81)
        inputs = (torch.zeros(1, 3, size, size), torch.zeros(boxes, 256, 7, 7)) + ((torch.zeros(masks, 256, 14, 14),) if masks else ())
        return Detector(inner), inputs
    return make


class Matting(torch.nn.Module):
    def __init__(self, inner):
        super().__init__()
        self.inner = inner

    def forward(self, image):
        return self.inner(image, None, None, None, None, 0.25)[:2]


def matting():
    sys.path.insert(0, os.environ["RVM"])  # a clone of github.com/PeterL1n/RobustVideoMatting
    from model import MattingNetwork
    return Matting(MattingNetwork("mobilenetv3")), (torch.zeros(1, 3, 1080, 1920),)


CLIP = dict(hidden_size=768, intermediate_size=3072, num_hidden_layers=12, num_attention_heads=12, vocab_size=49408, max_position_embeddings=77)
MADE = {
    "resnet50": vision("resnet50"), "resnet18": vision("resnet18"), "squeezenet-1.0": vision("squeezenet1_0"), "squeezenet-1.1": vision("squeezenet1_1"),
    "shufflenet-v2": vision("shufflenet_v2_x1_0"), "vgg19": vision("vgg19"), "mobilenet-v2": vision("mobilenet_v2"), "convnext-large": vision("convnext_large"),
    "fcn-resnet50": vision("fcn_resnet50", 256, aux_loss=True, weights_backbone=None), "swin-tiny": vision("swin_t"), "efficientnet-lite4": timm_model("tf_efficientnet_lite4", 224),
    "bert-base": hugging("BertModel", "BertConfig", ids(256)), "roberta-base": hugging(
        "RobertaModel", "RobertaConfig", ids(8), vocab_size=50265, max_position_embeddings=514, type_vocab_size=1),
    "gpt2": hugging("GPT2LMHeadModel", "GPT2Config", ids(8)), "t5-base": t5, "sd-text-encoder": hugging("CLIPTextModel", "CLIPTextConfig", ids(77), **CLIP),
    "gptj-layer": hugging("GPTJForCausalLM", "GPTJConfig", ids(512), n_layer=1, tie_word_embeddings=False), "llama-layer": hugging(
        "LlamaForCausalLM", "LlamaConfig", ids(512), num_hidden_layers=1), "mpt-layer": hugging(
        "MptForCausalLM", "MptConfig", ids(512), n_layers=1, d_model=2048, n_heads=16, vocab_size=50368), "sd-unet": unet, "sd-vae-encoder": vae(True), "sd-vae-decoder": vae(False),
}
# In onnx-tool's published table, but not among ours.
OTHERS = {"edgenext_small at 224": timm_model("edgenext_small", 224), "edgenext_small at 256": timm_model("edgenext_small", 256),
          "Faster R-CNN at 416, 1000 boxes": rcnn("fasterrcnn_resnet50_fpn", 416, 1000),
          "Mask R-CNN at 224, 1000 boxes, 100 masks": rcnn("maskrcnn_resnet50_fpn", 224, 1000, 100)}
if "RVM" in os.environ:
    OTHERS["rvm_mobilenetv3"] = matting


def count(make):
    """(parameters, multiply-adds) by torch."""
    device = "cpu" if make is matting else "meta"  # its code reads values
    with torch.device(device):
        module, inputs = make()
    module = module.to(device).eval()
    inputs = tuple(each.to(device) for each in inputs)
    seen = {id(each): each.numel() for each in module.parameters()}
    seen |= {id(each): each.numel() for name, each in module.named_buffers() if "running_" in name}
    with FlopCounterMode(display=False) as counter, torch.no_grad():
        module(*inputs)
    return sum(seen.values()), counter.get_total_flops() // 2


def exported(make, folder):
    """The same for the file that torch exports, and how: by TorchScript, which runs the module, or by dynamo, if TorchScript refuses it."""
    module, inputs = getattr(make, "exportable", make)()
    module.eval()
    failures = []
    large = sum(each.numel() * each.element_size() for each in module.parameters()) > 2**31  # more than fits into one protobuf file
    for how in ("dynamo",) if large else ("TorchScript", "dynamo"):
        path = Path(folder) / f"{how}.onnx"
        try:
            with torch.no_grad():
                torch.onnx.export(module, inputs, str(path), dynamo=how == "dynamo", opset_version=18 if how == "dynamo" else 17)
            return *profiled(path), how
        except Exception as error:  # noqa: BLE001 (an exporter fails in many ways)
            failures.append(f"{how}: {type(error).__name__}")
            print(how, error, file=sys.stderr)
    return ", ".join(failures), "", ""


def profiled(path, *options):
    done = subprocess.run([str(ONNXPRESS), "profile", str(path), "--json", *options], capture_output=True, text=True, check=True)
    report = json.loads(done.stdout)
    return report["loaded_parameters"], report["macs"]["value"]


def generated(row, folder):
    path = Path(folder) / "generated.onnx"
    subprocess.run([str(ONNXPRESS), "generate", row.name, "-o", str(path)], check=True, capture_output=True)
    return profiled(path, *(word for name, size in row.dims.items() for word in ("--dim", f"{name}={size}")))


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--filter", default="", help="a regular expression for names")
    parser.add_argument("--export", action="store_true")
    arguments = parser.parse_args()
    print("| architecture | parameters: ours | torch | exported | multiply-adds: ours | torch | exported | by |\n|---|---:|---:|---:|---:|---:|---:|---|")
    for name, make in [*MADE.items(), *OTHERS.items()]:
        if not re.search(arguments.filter, name):
            continue
        row = next((each for each in ROWS if each.name == name), None)
        with tempfile.TemporaryDirectory() as folder:
            ours = generated(row, folder) if row else ("", "")
            theirs = count(make)
            file = exported(make, folder) if arguments.export else ("", "", "")
        text = lambda value, other: "same" if value == other else f"{value:,}" if isinstance(value, int) else value  # noqa: E731
        print(f"| {name} | {text(ours[0], None)} | {text(theirs[0], ours[0])} | {text(file[0], ours[0])} | {text(ours[1], None)} | {text(theirs[1], ours[1])} | "
              f"{text(file[1], ours[1])} | {file[2]} |", flush=True)


if __name__ == "__main__":
    main()
