// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

internal import ArgumentParser
internal import HTTPTypes
internal import SigningJobs
internal import StorageAuth

/// The command `storage-auth presign`, which creates a presigned URL.
struct PresignCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "presign",
    abstract: "Creates and prints a presigned URL; headers that the request must contain go to standard error.",
    discussion: "Example: curl \"$(storage-auth presign GET https://photos.oss-cn-hangzhou.aliyuncs.com/cat.jpg)\"")

  @OptionGroup var options: SigningOptions

  @Option(help: ArgumentHelp("The lifetime of the URL in seconds.", valueName: "seconds"))
  var expires: Int64 = 3600

  func run() async throws {
    if options.jsonl { return try LineSigning.run(.presign) }
    let request = try options.request()
    let (signer, key) = try await options.signer(for: request)
    let duration = Duration.seconds(expires)
    options.printExplanation(
      of: try signer.prepare(presigning: request, as: key.identity, validFor: duration, in: options.context))
    let presigned = try signer.presign(request, with: key, validFor: duration, in: options.context)
    Terminal.exactLine(presigned.url)
    for field in presigned.headers { Terminal.note("Required header: \(field.name.rawName): \(field.value)") }
  }
}
