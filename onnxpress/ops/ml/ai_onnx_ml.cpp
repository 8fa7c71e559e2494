// The domain ai.onnx.ml: classic machine learning.
#include "onnxpress/ops/core/families.h"
#include "onnxpress/ops/ml/ml_cost.h"
#include "onnxpress/ops/ml/ml_features.h"
#include "onnxpress/ops/ml/ml_linear.h"
#include "onnxpress/ops/ml/ml_trees.h"

namespace onnxpress::ops {

namespace {

constexpr std::string_view kMl = "ai.onnx.ml";

constexpr OpDef kAiOnnxMlRows[] = {
    {.name = "ArrayFeatureExtractor",
     .domain = kMl,
     .infer = infer_array_feature_extractor,
     .evaluate = evaluate_array_feature_extractor,
     .cost = cost_gather},
    {.name = "Binarizer",
     .domain = kMl,
     .traits = kElementwise,
     .infer = infer_same_shape,
     .evaluate = evaluate_binarizer},
    {.name = "CastMap", .domain = kMl, .infer = infer_cast_map, .evaluate = evaluate_cast_map, .cost = cost_nothing},
    {.name = "CategoryMapper",
     .domain = kMl,
     .traits = kElementwise,
     .infer = infer_category_mapper,
     .evaluate = evaluate_category_mapper},
    {.name = "DictVectorizer",
     .domain = kMl,
     .infer = infer_dict_vectorizer,
     .evaluate = evaluate_dict_vectorizer,
     .cost = cost_nothing},
    {.name = "FeatureVectorizer",
     .domain = kMl,
     .infer = infer_feature_vectorizer,
     .evaluate = evaluate_feature_vectorizer,
     .cost = cost_nothing},
    {.name = "Imputer",
     .domain = kMl,
     .infer = infer_same_shape,
     .evaluate = evaluate_imputer,
     .cost = cost_per_result},
    {.name = "LabelEncoder",
     .domain = kMl,
     .traits = kElementwise,
     .infer = infer_label_encoder,
     .evaluate = evaluate_label_encoder},
    {.name = "LinearClassifier",
     .domain = kMl,
     .infer = infer_linear_classifier,
     .evaluate = evaluate_linear_classifier,
     .cost = cost_linear_model},
    {.name = "LinearRegressor",
     .domain = kMl,
     .infer = infer_linear_regressor,
     .evaluate = evaluate_linear_regressor,
     .cost = cost_linear_model},
    {.name = "Normalizer",
     .domain = kMl,
     .infer = infer_same_shape,
     .evaluate = evaluate_normalizer,
     .cost = cost_times_operand<3>},
    {.name = "OneHotEncoder",
     .domain = kMl,
     .infer = infer_one_hot_encoder,
     .evaluate = evaluate_one_hot_encoder,
     .cost = cost_per_result},
    {.name = "SVMClassifier",
     .domain = kMl,
     .infer = infer_svm_classifier,
     .evaluate = evaluate_svm_classifier,
     .cost = cost_svm},
    {.name = "SVMRegressor",
     .domain = kMl,
     .infer = infer_svm_regressor,
     .evaluate = evaluate_svm_regressor,
     .cost = cost_svm},
    {.name = "Scaler",
     .domain = kMl,
     .infer = infer_same_shape,
     .evaluate = evaluate_scaler,
     .cost = cost_times_operand<2>},
    {.name = "TreeEnsemble",
     .domain = kMl,
     .infer = infer_tree_ensemble,
     .evaluate = evaluate_tree_ensemble,
     .cost = cost_trees},
    {.name = "TreeEnsembleClassifier",
     .domain = kMl,
     .infer = infer_tree_ensemble_classifier,
     .evaluate = evaluate_tree_ensemble_classifier,
     .cost = cost_trees},
    {.name = "TreeEnsembleRegressor",
     .domain = kMl,
     .infer = infer_tree_ensemble_regressor,
     .evaluate = evaluate_tree_ensemble_regressor,
     .cost = cost_trees},
    {.name = "ZipMap", .domain = kMl, .infer = infer_zip_map, .evaluate = evaluate_zip_map, .cost = cost_nothing},
};

}  // namespace

Family ai_onnx_ml() { return kAiOnnxMlRows; }

}  // namespace onnxpress::ops
