// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

internal import ArgumentParser
internal import AsperaAuth
internal import LocalCloud

/// An argument that specifies a failure of Aspera transfers, as `CODE`, or as `CODE:N` for every nth transfer.
struct TransferFaultArgument: ExpressibleByArgument {
  let fault: LocalCloud.TransferFault

  init?(argument: String) {
    let parts = argument.split(separator: ":", omittingEmptySubsequences: false).map { Int($0) }
    guard (1...2).contains(parts.count), let code = parts[0], AscpErrorCode(code) != nil else { return nil }
    guard parts.count == 2 else {
      fault = .failure(code: code)
      return
    }
    guard let number = parts[1], number > 0 else { return nil }
    fault = .failure(code: code, .afterAuthentication, .every(number))
  }
}
