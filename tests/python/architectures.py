"""Architectures that `onnxpress generate` makes: their expected counts, and what onnx-tool's README publishes for them.

`macs` are strict multiply-adds for the dims given; those marked `measured` were counted on exports of torchvision, timm or transformers.
`parameters` include the running statistics of BatchNormalization (torchvision's own count does not).
"""
import collections

Row = collections.namedtuple("Row", "name dims macs parameters measured published_parameters published_macs remark")
NONE = {}
ROWS = [
    Row("resnet50-v1", NONE, 3_857_973_248, 25_610_152, False, 25, 3868, "theirs adds biases and activations"),
    Row("resnet50", NONE, 4_089_184_256, 25_610_152, True, None, None, "version 1.5, not in their table"),
    Row("resnet18", NONE, 1_814_073_344, 11_699_112, True, None, None, "not in their table"),
    Row("squeezenet-1.1", NONE, 349_151_936, 1_235_496, True, 1.23, 351, "theirs is called 1.0; the figures are those of 1.1"),
    Row("squeezenet-1.0", NONE, 818_924_576, 1_248_424, True, None, None, "the real 1.0"),
    Row("alexnet", NONE, 654_560_384, 60_965_224, False, 60.96, 665, "LRN counted"),
    Row("googlenet", NONE, 1_582_671_872, 6_998_552, False, 6.99, 1606, "LRN and pooling counted"),
    Row("googlenet-age", NONE, 1_581_656_064, 5_981_752, False, 5.98, 1605, "LRN and pooling counted"),
    Row("shufflenet-v2", NONE, 144_907_992, 2_294_784, True, 2.29, 146, ""),
    Row("vgg19", NONE, 19_632_062_464, 143_667_240, True, 143.66, 19643, ""),
    Row("mobilenet-v2", NONE, 300_774_272, 3_538_986, True, 3.3, 300, "torchvision's has 3.505 M without running statistics"),
    Row("efficientnet-lite4", NONE, 1_347_665_152, 13_118_938, True, 12.96, 1361, "theirs has normalization folded"),
    Row("convnext-large", NONE, 34_361_433_600, 197_767_336, True, 229.79, 34872, "theirs has 21,841 classes"),
    Row("fcn-resnet50", NONE, 37_013_422_080, 35_376_882, True, 35.29, 37056, ""),
    Row("ssd-resnet34", NONE, 216_415_931_904, 19_982_390, False, 19.98, 216598, ""),
    Row("yolov4", NONE, 30_052_385_792, 64_429_413, False, 64.33, 3319, "theirs is nine times too low for these parameters"),
    Row("realesrgan-x4", NONE, 73_428_369_408, 16_697_996, False, 16.69, 73551, ""),
    Row("ir100", NONE, 12_089_606_144, 65_225_792, False, 65.22, 12102, ""),
    Row("ferplus", NONE, 875_831_296, 8_757_704, False, 12.95, 877, "theirs counts the first dense layer twice, also reshaped"),
    Row("bert-base", {"sequence": 256}, 22_951_821_312, 109_482_241, False, 113.61, 22767, "theirs is another export (bertsquad-12), from TensorFlow"),
    Row("roberta-base", {"sequence": 8}, 681_246_720, 124_645_633, False, 124.64, 688, "with the pooler; without it 680,656,896 as measured"),
    Row("gpt2", {"sequence": 8}, 989_435_904, 124_439_811, True, 137.02, 1103, "theirs counts 12.58 M of mask buffers, and Pow, Tanh"),
    Row("t5-base", {"sequence": 8, "source": 8}, 1_786_380_288, 222_903_555, False, 272.24, 1799,
        "their encoder and decoder together; the shared table counts in both"),
    Row("gptj-layer", {"sequence": 512}, 210_923_159_552, 614_290_659, False, 618, 211801, "theirs is called LLaMa; 4 M of mask"),
    Row("llama-layer", {"sequence": 512}, 172_872_433_664, 464_531_460, False, 464, 173398, "theirs is called GPT-J"),
    Row("mpt-layer", {"sequence": 512}, 79_658_221_568, 153_491_459, False, 261, 79894, "theirs counts the tied head twice, and positions"),
    Row("bidaf", {"context": 16, "query": 16}, 48_934_400, 10_281_903, False, 18.08, 9.87,
        "theirs counts one step of each LSTM instead of 16 (that makes 9.33), and the table of about 77,000 words twice"),
    Row("sd-text-encoder", NONE, 6_649_251_840, 123_066_411, False, 123.13, 6782, ""),
    Row("sd-unet", {"batch": 2}, 803_273_441_280, 859_524_883, False, 859.52, 888870, "fits a batch of 2, with the costs of their elementwise operations"),
    Row("sd-vae-encoder", NONE, 558_329_233_408, 34_165_073, False, 34.16, 566371, ""),
    Row("sd-vae-decoder", NONE, 1_257_259_466_752, 49_492_132, False, 49.49, 1271959, ""),
    Row("swin-tiny", NONE, 4_490_566_656, 28_596_371, False, None, None, "not in their table"),
]


def bevformer_tiny():
    """(parameters, multiply-adds) of BEVFormer tiny, summed up from the authors' configuration: six cameras of 480x800, one scale of features,
    50x50 places, 900 queries, three layers of the encoder, six of the decoder. Sampling between pixels is no multiply-add."""
    width, places, queries, cameras, pixels = 256, 50 * 50, 900, 6, 15 * 25
    sums = [0, 0]

    def dense(rows, a, b, layers=1, bias=True):
        sums[0] += layers * (a * b + bias * b)
        sums[1] += layers * rows * a * b

    sums[0] += 23_508_032 + 53_120  # ResNet-50 without its classifier; running statistics
    sums[1] += cameras * 4_087_136_256 // (7 * 7) * pixels
    dense(cameras * pixels, 2048, width)  # neck: 1x1, 3x3
    dense(cameras * pixels, 9 * width, width)
    sums[0] += places * width + queries * 2 * width + 2 * 50 * width // 2 + (cameras + 4) * width  # learned positions, cameras, scales
    dense(1, 18, 128), dense(1, 128, width)  # CAN bus signals
    dense(queries, width, 3)
    sums[0] += 2 * width  # its normalization
    # Encoder: over time (two grids, 8 heads of 4 points), into the cameras (8 heads of 8 points), two dense layers.
    dense(places, 2 * width, 128, 3), dense(places, 2 * width, 64, 3), dense(2 * places, width, width, 3), dense(places, width, width, 3)
    dense(cameras * places, width, 128, 3), dense(cameras * places, width, 64, 3), dense(cameras * pixels, width, width, 3), dense(places, width, width, 3)
    dense(places, width, 512, 3), dense(places, 512, width, 3)
    sums[0] += 3 * 3 * 2 * width
    # Decoder: plain attention among queries, into the grid (8 heads of 4 points), two dense layers; classes and boxes after each layer.
    dense(queries, width, 4 * width, 6)
    sums[1] += 6 * 2 * queries * queries * width
    dense(places, width, width, 6), dense(queries, width, 64, 6), dense(queries, width, 32, 6), dense(queries, width, width, 6)
    dense(queries, width, 512, 6), dense(queries, 512, width, 6)
    dense(queries, width, width, 4 * 6), dense(queries, width, 10, 2 * 6)
    sums[0] += 6 * (3 + 2) * 2 * width
    return tuple(sums)


# The rest of their table, which `generate` does not make: published parameters and multiply-adds in millions, those of the module that
# bench/exports.py --export counts (torch and the profile of the exported file agree), and a remark.
NOT_MADE = [
    ("edgenext_small (at 256x256)", 5.58, 5.59, 1357, 1253.23, "timm's module, exported: theirs is at 256, with elementwise operations; at 224 it is 959.58"),
    ("rvm_mobilenetv3 (1080x1920, ratio 0.25)", 3.73, 3.77, 4289, 4075.87, "the authors' module, exported; theirs has elementwise operations, and normalization folded"),
    ("Faster R-CNN (416x416, 1,000 boxes)", 44.10, 41.81, 46018, 46763.77,
     "fixed parts of torchvision's, exported: 13.9 M of it for each box; how many boxes theirs had is not known, and its file has more parameters"),
    ("Mask R-CNN (224x224, 1,000 boxes, 100 masks)", 46.77, 44.45, 92077, 76725.49,
     "likewise; their ConvTranspose multiplies its output instead of its input: 15,414 M more for 100 masks, which makes 92,139"),
    ("BEVFormer tiny", 33.7, round(bevformer_tiny()[0] / 1e6, 2), 210838, round(bevformer_tiny()[1] / 1e6, 2),
     "no ops for its sampling in ONNX: summed up by hand from the authors' configuration, the backbone is 187,675 of it; theirs has elementwise operations"),
]
