// Preparing features in ai.onnx.ml: scaling, choosing, encoding, maps.
#pragma once

#include "onnxpress/ops/core/call.h"
#include "onnxpress/ops/core/inference.h"

namespace onnxpress::ops {

void infer_array_feature_extractor(Inference& in);
bool evaluate_array_feature_extractor(Call& call);
bool evaluate_binarizer(Call& call);
void infer_feature_vectorizer(Inference& in);
bool evaluate_feature_vectorizer(Call& call);
bool evaluate_imputer(Call& call);
bool evaluate_normalizer(Call& call);
bool evaluate_scaler(Call& call);

// Categories and labels (ml_labels.cpp).
void infer_category_mapper(Inference& in);
bool evaluate_category_mapper(Call& call);
void infer_label_encoder(Inference& in);
bool evaluate_label_encoder(Call& call);
void infer_one_hot_encoder(Inference& in);
bool evaluate_one_hot_encoder(Call& call);

// Maps (ml_maps.cpp).
void infer_cast_map(Inference& in);
bool evaluate_cast_map(Call& call);
void infer_dict_vectorizer(Inference& in);
bool evaluate_dict_vectorizer(Call& call);
void infer_zip_map(Inference& in);
bool evaluate_zip_map(Call& call);

}  // namespace onnxpress::ops
