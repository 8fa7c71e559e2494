"""The table of architectures that run.py exports: small settings, random weights, nothing is downloaded. A row is a name and a function that makes
a module and its inputs. `Inputs` makes them for any batch and length, so that the same export can be judged at several sizes."""
import os

import torch

os.environ["HF_HUB_OFFLINE"] = "1"
WORDS = 99
SMALL = {"hidden_size": 32, "num_hidden_layers": 2, "num_attention_heads": 4, "intermediate_size": 64, "vocab_size": WORDS}
DECODER = {**SMALL, "num_key_value_heads": 2, "max_position_embeddings": 64, "head_dim": 8, "pad_token_id": 0, "bos_token_id": 1, "eos_token_id": 2}
ENCODER = {**SMALL, "max_position_embeddings": 64, "pad_token_id": 0}
OLD_GPT = {"vocab_size": WORDS, "n_positions": 64, "n_embd": 32, "n_layer": 2, "n_head": 4}
SEQ2SEQ = {"vocab_size": WORDS, "d_model": 32, "encoder_layers": 2, "decoder_layers": 2, "encoder_attention_heads": 4, "decoder_attention_heads": 4,
           "encoder_ffn_dim": 64, "decoder_ffn_dim": 64, "max_position_embeddings": 64, "pad_token_id": 1, "bos_token_id": 0, "eos_token_id": 2,
           "decoder_start_token_id": 2, "forced_eos_token_id": None}
PATCHES = {**{key: SMALL[key] for key in ("hidden_size", "num_hidden_layers", "num_attention_heads", "intermediate_size")}, "image_size": 32, "patch_size": 8}
SOUND = {**SMALL, "conv_dim": [32] * 7, "num_conv_pos_embeddings": 16, "num_conv_pos_embedding_groups": 4, "num_feat_extract_layers": 7}


class Inputs:
    """Names, makers of tensors, and the axes that may be open: {"input_ids": (make(batch, length), {0: "batch", 1: "length"})}."""

    def __init__(self, **named):
        self.named = named

    def make(self, batch, length):
        return tuple(make(batch, length) for make, _ in self.named.values())

    def axes(self):
        return {name: axes for name, (_, axes) in self.named.items() if axes}


BOTH, BATCH = {0: "batch", 1: "length"}, {0: "batch"}


def words(low=3):
    return lambda batch, length: torch.randint(low, WORDS, (batch, length))


def ones(batch, length):
    return torch.ones(batch, length, dtype=torch.int64)


def image(size, channels=3):
    return Inputs(image=(lambda batch, length: torch.randn(batch, channels, size, size), BATCH))


def floats(*dims, axes=BATCH):
    """A tensor of floats; None stands for the length."""
    return (lambda batch, length: torch.randn(batch, *(length if each is None else each for each in dims)), axes)


TEXT = Inputs(input_ids=(words(), BOTH), attention_mask=(ones, BOTH))
PAIR = Inputs(input_ids=(words(), BOTH), attention_mask=(ones, BOTH), decoder_input_ids=(words(), BOTH))


class Keywords(torch.nn.Module):
    """Takes positional arguments, as an exporter passes them, and returns the tensors of the first result."""

    def __init__(self, inner, names):
        super().__init__()
        self.inner, self.names = inner, names

    def forward(self, *values):
        made = self.inner(**dict(zip(self.names, values)), return_dict=False)
        return made[0] if isinstance(made, tuple) else made


class WithCache(torch.nn.Module):
    """A decoder with its cache as inputs and outputs: one new position after those in the cache."""

    def __init__(self, inner):
        super().__init__()
        self.inner = inner

    def forward(self, input_ids, attention_mask, *cache):
        from transformers import DynamicCache
        before = DynamicCache()
        for layer in range(len(cache) // 2):
            before.update(cache[2 * layer], cache[2 * layer + 1], layer)
        made = self.inner(input_ids=input_ids, attention_mask=attention_mask, past_key_values=before, use_cache=True)
        after = made.past_key_values
        return (made.logits, *(each for layer in range(len(cache) // 2) for each in (after.layers[layer].keys, after.layers[layer].values)))


def hugging(model, config, inputs=TEXT, **settings):
    def make():
        import transformers
        made = getattr(transformers, config)(**settings)
        for part in (made, getattr(made, "text_config", None)):
            if hasattr(part, "use_cache"):
                part.use_cache = False
        return Keywords(getattr(transformers, model)(made), list(inputs.named)), inputs
    return make


def cached(model, config, heads, width, **settings):
    def make():
        import transformers
        past = {}
        for layer in range(2):
            for part in ("key", "value"):
                past[f"{part}_{layer}"] = floats(heads, None, width, axes={0: "batch", 2: "length"})
        inputs = Inputs(input_ids=(lambda batch, length: torch.randint(3, WORDS, (batch, 1)), BATCH),
                        attention_mask=(lambda batch, length: torch.ones(batch, length + 1, dtype=torch.int64), {0: "batch", 1: "total"}), **past)
        return WithCache(getattr(transformers, model)(getattr(transformers, config)(**settings))), inputs
    return make


def vision(name, size=64, **options):
    def make():
        import torchvision
        found = getattr(torchvision.models, name, None) or getattr(torchvision.models.segmentation, name, None) or getattr(torchvision.models.video, name)
        return found(weights=None, **options), image(size)
    return make


def timm_model(name, size=64):
    def make():
        import timm
        return timm.create_model(name, pretrained=False), image(size)
    return make


def plain(make_module, inputs):
    return lambda: (make_module(), inputs)


class First(torch.nn.Module):
    """Only the first result, for recurrent layers."""

    def __init__(self, inner):
        super().__init__()
        self.inner = inner

    def forward(self, x):
        return self.inner(x)[0]


class LayerScale(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.norm, self.up, self.down = torch.nn.LayerNorm(32), torch.nn.Linear(32, 64), torch.nn.Linear(64, 32)
        self.gamma = torch.nn.Parameter(torch.rand(32))

    def forward(self, x):
        return x + self.gamma * self.down(torch.nn.functional.gelu(self.up(self.norm(x))))


class SelfAttention(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.inner = torch.nn.MultiheadAttention(32, 4, batch_first=True)

    def forward(self, x):
        return self.inner(x, x, x, need_weights=False)[0]


def little_unet():
    conv = lambda a, b: torch.nn.Sequential(torch.nn.Conv2d(a, b, 3, padding=1), torch.nn.BatchNorm2d(b), torch.nn.SiLU())  # noqa: E731
    return torch.nn.Sequential(conv(3, 8), torch.nn.MaxPool2d(2), conv(8, 16), torch.nn.Upsample(scale_factor=2), conv(16, 8), torch.nn.Conv2d(8, 2, 1))


def diffusion(kind):
    def make():
        import diffusers
        if kind == "unet":
            made = diffusers.UNet2DConditionModel(
                sample_size=8, cross_attention_dim=32, block_out_channels=(32, 64), down_block_types=("CrossAttnDownBlock2D", "DownBlock2D"),
                up_block_types=("UpBlock2D", "CrossAttnUpBlock2D"), layers_per_block=1, norm_num_groups=8, attention_head_dim=8)
            inputs = Inputs(sample=floats(4, 8, 8), timestep=(lambda batch, length: torch.randint(0, 999, (batch,)), BATCH),
                            encoder_hidden_states=floats(5, 32))
            return Keywords(made, list(inputs.named)), inputs
        made = diffusers.AutoencoderKL(block_out_channels=(16, 32), down_block_types=("DownEncoderBlock2D",) * 2, up_block_types=("UpDecoderBlock2D",) * 2,
                                       latent_channels=4, norm_num_groups=8)
        return (made.encoder, image(32)) if kind == "encoder" else (made.decoder, Inputs(latent=(floats(4, 8, 8)[0], BATCH)))
    return make


def text_models():
    bert_like = {"bert": "Bert", "electra": "Electra", "roformer": "RoFormer", "mpnet": "MPNet", "megatron_bert": "MegatronBert", "ernie": "Ernie",
                 "layoutlm": "LayoutLM", "nystromformer": "Nystromformer", "squeezebert": "SqueezeBert", "convbert": "ConvBert"}
    special = {"nystromformer": {"num_landmarks": 4, "segment_means_seq_len": 12, "conv_kernel_size": 5}, "squeezebert": {"embedding_size": 32},
               "convbert": {"embedding_size": 32}, "roformer": {"embedding_size": 32}, "electra": {"embedding_size": 16}}
    rows = {name: hugging(f"{kind}Model", f"{kind}Config", **{**ENCODER, **special.get(name, {})}) for name, kind in bert_like.items()}
    no_pads = {key: value for key, value in ENCODER.items() if key != "pad_token_id"}
    rows |= {
        "albert": hugging("AlbertModel", "AlbertConfig", embedding_size=16, **ENCODER),
        "distilbert": hugging("DistilBertModel", "DistilBertConfig", dim=32, n_layers=2, n_heads=4, hidden_dim=64, vocab_size=WORDS),
        "roberta": hugging("RobertaModel", "RobertaConfig", **{**ENCODER, "pad_token_id": 1}),
        "deberta": hugging("DebertaV2Model", "DebertaV2Config", relative_attention=True, pos_att_type=["p2c", "c2p"], **ENCODER),
        "mobilebert": hugging("MobileBertModel", "MobileBertConfig", embedding_size=16, intra_bottleneck_size=16, **ENCODER),
        "fnet": hugging("FNetModel", "FNetConfig", Inputs(input_ids=(words(), BATCH)), **{**no_pads, "num_attention_heads": 4}),
        "modernbert": hugging("ModernBertModel", "ModernBertConfig", global_attn_every_n_layers=2, local_attention=8,
                              **{**ENCODER, "bos_token_id": 1, "eos_token_id": 2, "cls_token_id": 1, "sep_token_id": 2}),
        "longformer": hugging("LongformerModel", "LongformerConfig", Inputs(input_ids=(words(), BATCH), attention_mask=(ones, BATCH)), attention_window=4, **ENCODER),
        "bigbird": hugging("BigBirdModel", "BigBirdConfig", attention_type="original_full", **ENCODER),
        "xlnet": hugging("XLNetModel", "XLNetConfig", vocab_size=WORDS, d_model=32, n_layer=2, n_head=4, d_inner=64),
        "t5_encoder": hugging("T5EncoderModel", "T5Config", d_model=32, d_ff=64, d_kv=8, num_heads=4, num_layers=2, vocab_size=WORDS),
        "clip_text": hugging("CLIPTextModel", "CLIPTextConfig", **{**ENCODER, "eos_token_id": 2, "bos_token_id": 1}),
    }
    return rows


def decoders():
    llama_like = {"llama": "Llama", "mistral": "Mistral", "qwen2": "Qwen2", "qwen3": "Qwen3", "gemma": "Gemma", "gemma2": "Gemma2", "phi3": "Phi3", "olmo": "Olmo",
                  "olmo2": "Olmo2", "cohere": "Cohere", "granite": "Granite", "stablelm": "StableLm", "starcoder2": "Starcoder2", "smollm3": "SmolLM3", "glm": "Glm"}
    rows = {name: hugging(f"{kind}ForCausalLM", f"{kind}Config", **DECODER) for name, kind in llama_like.items()}
    experts = {"num_local_experts": 4, "num_experts_per_tok": 2}
    rows |= {
        "mixtral": hugging("MixtralForCausalLM", "MixtralConfig", **experts, **DECODER),
        "gpt_oss": hugging("GptOssForCausalLM", "GptOssConfig", **experts, **DECODER),
        "gpt2": hugging("GPT2LMHeadModel", "GPT2Config", **OLD_GPT),
        "gpt_neo": hugging("GPTNeoForCausalLM", "GPTNeoConfig", vocab_size=WORDS, max_position_embeddings=64, hidden_size=32, num_layers=2, num_heads=4,
                           attention_types=[[["global", "local"], 1]], window_size=8),
        "gpt_neox": hugging("GPTNeoXForCausalLM", "GPTNeoXConfig", max_position_embeddings=64, **SMALL),
        "gptj": hugging("GPTJForCausalLM", "GPTJConfig", rotary_dim=4, **OLD_GPT),
        "codegen": hugging("CodeGenForCausalLM", "CodeGenConfig", rotary_dim=4, **OLD_GPT),
        "phi": hugging("PhiForCausalLM", "PhiConfig", max_position_embeddings=64, **SMALL),
        "opt": hugging("OPTForCausalLM", "OPTConfig", vocab_size=WORDS, hidden_size=32, num_hidden_layers=2, num_attention_heads=4, ffn_dim=64,
                       max_position_embeddings=64, word_embed_proj_dim=32),
        "bloom": hugging("BloomForCausalLM", "BloomConfig", vocab_size=WORDS, hidden_size=32, n_layer=2, n_head=4),
        "falcon": hugging("FalconForCausalLM", "FalconConfig", vocab_size=WORDS, hidden_size=32, num_hidden_layers=2, num_attention_heads=4),
        "mamba": hugging("MambaForCausalLM", "MambaConfig", Inputs(input_ids=(words(), BATCH)), vocab_size=WORDS, hidden_size=32, num_hidden_layers=2, state_size=4),
        "t5": hugging("T5ForConditionalGeneration", "T5Config", PAIR, d_model=32, d_ff=64, d_kv=8, num_heads=4, num_layers=2, vocab_size=WORDS),
        "bart": hugging("BartForConditionalGeneration", "BartConfig", PAIR, **SEQ2SEQ),
        "marian": hugging("MarianMTModel", "MarianConfig", PAIR, **SEQ2SEQ),
        "pegasus": hugging("PegasusForConditionalGeneration", "PegasusConfig", PAIR, **SEQ2SEQ),
        "llama_cache": cached("LlamaForCausalLM", "LlamaConfig", 2, 8, **DECODER),
        "qwen3_cache": cached("Qwen3ForCausalLM", "Qwen3Config", 2, 8, **DECODER),
        "gpt2_cache": cached("GPT2LMHeadModel", "GPT2Config", 4, 8, **OLD_GPT),
        "gemma_cache": cached("GemmaForCausalLM", "GemmaConfig", 2, 8, **DECODER),
    }
    return rows


def images_and_sounds():
    pixels = lambda size: Inputs(pixel_values=(lambda batch, length: torch.randn(batch, 3, size, size), BATCH))  # noqa: E731
    sound = Inputs(input_values=(lambda batch, length: torch.randn(batch, 2000), BATCH))
    patches = {"vit": "ViT", "deit": "DeiT", "beit": "Beit", "dinov2": "Dinov2", "siglip_vision": "SiglipVision", "clip_vision": "CLIPVision", "yolos": "Yolos"}
    rows = {name: hugging(f"{kind}Model", f"{kind}Config", pixels(32), **{**PATCHES, **({"image_size": [32, 32], "num_detection_tokens": 5} if name == "yolos" else {})})
            for name, kind in patches.items()}
    sounds = {"wav2vec2": "Wav2Vec2", "hubert": "Hubert", "wavlm": "WavLM", "unispeech": "UniSpeech"}
    rows |= {name: hugging(f"{kind}Model", f"{kind}Config", sound, **SOUND) for name, kind in sounds.items()}
    rows |= {
        "swin_hf": hugging("SwinModel", "SwinConfig", pixels(64), image_size=64, patch_size=4, embed_dim=16, depths=[2, 2], num_heads=[2, 4], window_size=4),
        "swinv2_hf": hugging("Swinv2Model", "Swinv2Config", pixels(64), image_size=64, patch_size=4, embed_dim=16, depths=[2, 2], num_heads=[2, 4], window_size=4),
        "convnextv2": hugging("ConvNextV2Model", "ConvNextV2Config", pixels(64), hidden_sizes=[8, 16, 24, 32], depths=[1, 1, 2, 1]),
        "convnext_hf": hugging("ConvNextModel", "ConvNextConfig", pixels(64), hidden_sizes=[8, 16, 24, 32], depths=[1, 1, 2, 1]),
        "focalnet": hugging("FocalNetModel", "FocalNetConfig", pixels(64), image_size=64, embed_dim=16, depths=[1, 1], focal_levels=[2, 2], focal_windows=[3, 3]),
        "segformer": hugging("SegformerForSemanticSegmentation", "SegformerConfig", pixels(64), hidden_sizes=[8, 16, 24, 32], depths=[1, 1, 1, 1],
                             num_attention_heads=[1, 2, 2, 4], decoder_hidden_size=16),
        "poolformer_hf": hugging("PoolFormerModel", "PoolFormerConfig", pixels(64), hidden_sizes=[8, 16, 24, 32], depths=[1, 1, 1, 1]),
        "regnet_hf": hugging("RegNetModel", "RegNetConfig", pixels(64), embedding_size=8, hidden_sizes=[8, 16, 24, 32], depths=[1, 1, 1, 1], groups_width=8),
        "cvt": hugging("CvtModel", "CvtConfig", pixels(64), embed_dim=[16, 32, 48], num_heads=[1, 2, 3], depth=[1, 1, 2]),
        "whisper_encoder": lambda: whisper(),
        "ast": hugging("ASTModel", "ASTConfig", Inputs(input_values=floats(64, 16)), hidden_size=32, num_hidden_layers=2, num_attention_heads=4,
                       intermediate_size=64, max_length=64, num_mel_bins=16, patch_size=8, frequency_stride=4, time_stride=4),
    }
    return rows


def whisper():
    import transformers
    config = transformers.WhisperConfig(num_mel_bins=16, max_source_positions=32, **{**SEQ2SEQ, "max_target_positions": 64})
    return Keywords(transformers.WhisperModel(config).encoder, ["input_features"]), Inputs(input_features=floats(16, 64))


def little_layers():
    steps, batch = Inputs(x=floats(None, 32, axes=BOTH)), Inputs(x=(floats(32)[0], BATCH))
    nn = torch.nn
    return {
        "lstm": plain(lambda: First(nn.LSTM(32, 16, batch_first=True)), steps), "gru": plain(lambda: First(nn.GRU(32, 16, batch_first=True)), steps),
        "lstm_both_ways": plain(lambda: First(nn.LSTM(32, 16, num_layers=2, bidirectional=True, batch_first=True)), steps),
        "transformer": plain(lambda: nn.TransformerEncoder(nn.TransformerEncoderLayer(32, 4, 64, batch_first=True), 2), steps),
        "self_attention": plain(SelfAttention, steps), "layer_scale": plain(LayerScale, steps), "unet_plain": plain(little_unet, image(32)),
        "mlp": plain(lambda: nn.Sequential(nn.Linear(32, 64), nn.BatchNorm1d(64), nn.ReLU(), nn.Dropout(), nn.Linear(64, 8), nn.LogSoftmax(-1)), batch),
        "group_norm": plain(lambda: nn.Sequential(nn.Conv2d(3, 16, 3, padding=1), nn.GroupNorm(4, 16), nn.Mish(), nn.Conv2d(16, 8, 1), nn.InstanceNorm2d(8)), image(16)),
        "upscaler": plain(lambda: nn.Sequential(nn.Conv2d(3, 16, 5, padding=2), nn.PReLU(16), nn.Conv2d(16, 12, 3, padding=1), nn.PixelShuffle(2)), image(16)),
        "generator": plain(lambda: nn.Sequential(nn.ConvTranspose2d(3, 16, 4, 2, 1), nn.BatchNorm2d(16), nn.ReLU(), nn.ConvTranspose2d(16, 3, 4, 2, 1), nn.Tanh()), image(8)),
    }


VISION = {"squeezenet1_1": 64, "mobilenet_v3_small": 64, "shufflenet_v2_x0_5": 64, "regnet_y_400mf": 64, "mnasnet0_5": 64, "efficientnet_b0": 64,
          "densenet121": 64, "resnet18": 64, "swin_t": 64, "maxvit_t": 224, "lraspp_mobilenet_v3_large": 64}
TIMM = {"edgenext_xx_small": 64, "ghostnet_050": 64, "tf_mobilenetv3_small_075": 64, "mobilevit_xxs": 64, "mobilevitv2_050": 64, "poolformer_s12": 64, "convnext_atto": 64,
        "fastvit_t8": 64, "tf_efficientnet_lite0": 64, "nf_regnet_b0": 64, "levit_128s": 224, "cait_xxs24_224": 224, "resmlp_12_224": 224, "xcit_nano_12_p16_224": 224,
        "repvit_m0_9": 64, "coatnet_nano_rw_224": 224, "pvt_v2_b0": 64, "mixnet_s": 64, "tinynet_e": 64, "efficientformer_l1": 224, "visformer_tiny": 224, "crossvit_9_240": 240,
        "eva02_tiny_patch14_224": 224, "gmixer_12_224": 224, "hardcorenas_a": 64, "lcnet_035": 64, "vit_tiny_patch16_224": 224, "volo_d1_224": 224, "inception_next_atto": 64}
MADE = {
    **little_layers(), **text_models(), **decoders(), **images_and_sounds(),
    **{name: vision(name, size, **({"weights_backbone": None} if "lraspp" in name else {})) for name, size in VISION.items()},
    **{name: timm_model(name, size) for name, size in TIMM.items()},
    **{f"diffusion_{kind}": diffusion(kind) for kind in ("unet", "encoder", "decoder")},
}
