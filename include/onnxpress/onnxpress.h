/// \file
/// The whole public interface of the library, in one include. docs/library.md is a tour of it.
///
/// Models. A Model owns its graph: nodes, values, tensors and every std::string_view that they give live as long as it
/// does. Weights stay in the file that the model was loaded from, which must not change while the model, or a model
/// made from it, exists. Calls take a `const Model&` where nothing changes.
///
/// Results. Options and reports are plain structs, the same that the command and the Python package use;
/// to_json(report) gives what the command prints with --json. In a report, `file` and `output` are paths where there
/// are files.
///
/// Failures. Calls throw Error or std::bad_alloc, and a call that throws leaves the model as it was. A goal that is
/// missed is no failure: `refused` in the report says why, and the model is unchanged. Where a call that changes a
/// model throws or refuses, pointers into the model are no longer valid, because the model was replaced by a copy of
/// what it was.
///
/// Threads. Different models may be used in different threads at the same time, one model only in one thread at a time.
/// Engines never change, so any number of threads may share one. The work of a call is done by the threads of
/// UseThreads (threads.h); without it, a call starts as many threads as there are processors, and ends them before it
/// returns. Results do not depend on the number of threads.
#pragma once

#include "onnxpress/bytes.h"     // Bytes: how content is held
#include "onnxpress/check.h"     // is a model valid?
#include "onnxpress/diff.h"      // what differs between two?
#include "onnxpress/edit.h"      // change names, nodes, interface, weights
#include "onnxpress/engine.h"    // what runs models
#include "onnxpress/error.h"     // Error, version()
#include "onnxpress/files.h"     // load and save, from files and memory, in every form
#include "onnxpress/infer.h"     // types and shapes of all values
#include "onnxpress/info.h"      // what is in a model?
#include "onnxpress/memory.h"    // where each activation goes in one pool
#include "onnxpress/model.h"     // Model, Graph, Node, Value, Tensor, Attribute, Type
#include "onnxpress/optimize.h"  // make it simpler
#include "onnxpress/options.h"   // what options of many calls share
#include "onnxpress/parts.h"     // extract, split, merge
#include "onnxpress/profile.h"   // what does a run cost?
#include "onnxpress/quantize.h"  // store weights in fewer bits
#include "onnxpress/run.h"       // compute its outputs
#include "onnxpress/shapes.h"    // shapes at any size, and a memory plan
#include "onnxpress/shrink.h"    // make it smaller, to the bit the same; and undo that
#include "onnxpress/threads.h"   // ThreadPool, UseThreads: whose threads do the work
#include "onnxpress/verify.h"    // do two models compute the same?
