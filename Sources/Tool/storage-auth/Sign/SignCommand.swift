// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

internal import ArgumentParser
internal import HTTPTypes
internal import SigningJobs
internal import StorageAuth
internal import StorageJSON

/// The command `storage-auth sign`, which signs a request and prints the headers to send.
struct SignCommand: AsyncParsableCommand, ReportingCommand {
  static let configuration = CommandConfiguration(
    commandName: "sign",
    abstract: "Signs a request in its headers and prints the headers to send.",
    discussion: "Example: storage-auth sign GET https://photos.oss-cn-hangzhou.aliyuncs.com/cat.jpg")

  @OptionGroup var options: SigningOptions

  @OptionGroup(title: "Output") var output: OutputOptions

  func run() async throws {
    if options.jsonl { return try LineSigning.run(.header) }
    let (plan, key) = try await options.plan()
    let (request, signer) = (plan.request, plan.signer)
    let pending = try signer.prepare(request, as: key.identity, in: options.context)
    options.printExplanation(of: pending)
    let signed = try signer.signed(request, with: key, in: options.context)
    guard !output.json else {
      return Terminal.json(
        .object(
          SignedRequestJSON.object(
            signed.method, signed.urlText, signed.headerFields, explained: options.explain ? pending : nil)))
    }
    for field in signed.headerFields {
      Terminal.exactLine("\(field.name.rawName): \(field.value)")
    }
  }
}
