// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

// The catalogue next to this file is documentation of the package; DocC requires a module, and a module
// needs a source file. It is built with the documentation only.
