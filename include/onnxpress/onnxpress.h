/// \file
/// The whole public interface of the library, in one include. docs/library.md is a tour of it.
#pragma once

#include "onnxpress/api/check.h"         // is a model valid?
#include "onnxpress/api/diff.h"          // what differs between two?
#include "onnxpress/api/engine.h"        // what runs models
#include "onnxpress/api/expand.h"        // undo a lossless shrink
#include "onnxpress/api/files.h"         // load and save, from files and memory, in every form
#include "onnxpress/api/infer.h"         // types and shapes of all values
#include "onnxpress/api/info.h"          // what is in a model?
#include "onnxpress/api/run.h"           // compute its outputs
#include "onnxpress/api/shape_engine.h"  // shapes at any size, and a memory plan
#include "onnxpress/api/shrink.h"        // make it smaller
#include "onnxpress/base/bytes.h"        // Bytes: how content is held
#include "onnxpress/base/error.h"        // Error: the only exception of the library's own
#include "onnxpress/base/thread_pool.h"  // ThreadPool, UseThreads: whose threads do the work
#include "onnxpress/base/version.h"      // version()
#include "onnxpress/format/json.h"       // the JSON form of an encoded model
#include "onnxpress/format/read_model.h"
#include "onnxpress/format/write_model.h"
#include "onnxpress/ir/model.h"  // Model, Graph, Node, Value, Tensor, Attribute, Type
#include "onnxpress/text/parse_model.h"
#include "onnxpress/text/print_model.h"
