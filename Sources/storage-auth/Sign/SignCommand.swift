// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

internal import ArgumentParser
internal import HTTPTypes
internal import SigningJobs
internal import StorageAuth

/// The command `storage-auth sign`, which signs a request and prints the headers to send.
struct SignCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "sign",
    abstract: "Signs a request in its headers and prints the headers to send.",
    discussion: "Example: storage-auth sign GET https://photos.oss-cn-hangzhou.aliyuncs.com/cat.jpg")

  @OptionGroup var options: SigningOptions

  func run() async throws {
    if options.jsonl { return try LineSigning.run(.header) }
    let request = try options.request()
    let (signer, key) = try await options.signer(for: request)
    options.printExplanation(of: try signer.prepare(request, as: key.identity, in: options.context))
    for field in try signer.signed(request, with: key, in: options.context).headerFields {
      Terminal.exactLine("\(field.name.rawName): \(field.value)")
    }
  }
}
