// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

// The catalogue next to this file is documentation of the package; DocC requires a module, and SwiftPM a source file. The
// target exists only in the builds of the documentation.
