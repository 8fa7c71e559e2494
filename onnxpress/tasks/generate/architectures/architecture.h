// Real architectures, rebuilt from public descriptions with generated weights: one function each, in small files in
// this folder.
#pragma once

#include "onnxpress/ir/model.h"
#include "onnxpress/tasks/generate/generate.h"

namespace onnxpress {

class Net;

// Throws Error when there is no architecture of this name.
Model build_architecture(const GenerateOptions& options);

void build_alexnet(Net& net);
void build_vgg19(Net& net);
void build_ferplus(Net& net);
void build_googlenet(Net& net);
void build_googlenet_age(Net& net);
void build_squeezenet_1_0(Net& net);
void build_squeezenet_1_1(Net& net);
void build_resnet18(Net& net);
void build_resnet50_v1(Net& net);
void build_resnet50(Net& net);
void build_fcn_resnet50(Net& net);
void build_ssd_resnet34(Net& net);
void build_ir100(Net& net);
void build_mobilenet_v2(Net& net);
void build_shufflenet_v2(Net& net);
void build_efficientnet_lite4(Net& net);
void build_convnext_large(Net& net);
void build_swin_tiny(Net& net);
void build_realesrgan(Net& net);
void build_yolov4(Net& net);
void build_bidaf(Net& net);
void build_sd_text_encoder(Net& net);
void build_sd_unet(Net& net);
void build_sd_vae_encoder(Net& net);
void build_sd_vae_decoder(Net& net);

}  // namespace onnxpress
