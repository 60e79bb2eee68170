// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation, AlwaysUseLowerCamelCase

// Declares what the libraries use of MachO, with the types of Apple's headers. Tests/Apple/check.py compiles the
// libraries against it; this code is never run.

public func _NSGetExecutablePath(_ path: UnsafeMutablePointer<CChar>!, _ byteCount: UnsafeMutablePointer<UInt32>!)
  -> Int32
{ -1 }
