// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

internal import ArgumentParser
internal import HTTPTypes
internal import SigningJobs
internal import StorageAuth

/// The command `storage-auth presign`, which creates a presigned URL.
struct PresignCommand: AsyncParsableCommand, ReportingCommand {
  static let configuration = CommandConfiguration(
    commandName: "presign",
    abstract: "Creates and prints a presigned URL; headers that the request must contain go to standard error.",
    discussion: """
      Examples: storage-auth presign oss://photos/cat.jpg --region cn-hangzhou
                storage-auth presign PUT oss://photos/cat.jpg --region cn-hangzhou -H 'Content-Type: image/jpeg'
                storage-auth presign GET https://photos.oss-cn-hangzhou.aliyuncs.com/cat.jpg --expires 600
      """)

  @OptionGroup var options: SigningOptions

  @OptionGroup(title: "Output") var output: OutputOptions

  @Option(help: ArgumentHelp("The lifetime of the URL in seconds.", valueName: "seconds"))
  var expires: Int64 = 3600

  func run() async throws {
    if options.jsonl { return try LineSigning.run(.presign) }
    let (plan, key) = try await options.plan()
    let (request, signer) = (plan.request, plan.signer)
    let duration = Duration.seconds(expires)
    let pending = try signer.prepare(presigning: request, as: key.identity, validFor: duration, in: options.context)
    options.printExplanation(of: pending)
    let presigned = try signer.presign(request, with: key, validFor: duration, in: options.context)
    guard !output.json else {
      var object = SignedRequestJSON.object(
        presigned.method, presigned.url, presigned.headers, explained: options.explain ? pending : nil)
      object["expiration"] = .string(presigned.expiration.iso8601)
      return Terminal.json(.object(object))
    }
    Terminal.exactLine(presigned.url)
    for field in presigned.headers { Terminal.notes("Required header: \(field.name.rawName): \(field.value)") }
  }
}
