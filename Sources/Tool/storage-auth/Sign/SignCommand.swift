// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

internal import ArgumentParser
internal import HTTPTypes
internal import SigningJobs
internal import StorageAuth

struct SignCommand: AsyncParsableCommand, ReportingCommand {
  static let configuration = CommandConfiguration(
    commandName: "sign",
    abstract: "Signs a request in its headers and prints the headers to send.",
    usage: "storage-auth sign [<method>] <url> [<options>]",
    discussion: """
      Examples:
        storage-auth sign GET https://photos.oss-cn-hangzhou.aliyuncs.com/cat.jpg
        storage-auth sign PUT cos://photos-1250000000/cat.jpg --region ap-guangzhou
      """)

  @OptionGroup var options: SigningOptions

  @OptionGroup(title: "Output") var output: OutputOptions

  func run() async throws {
    if options.jsonl { return try SigningOptions.signLines(.header) }
    let (plan, key) = try await options.plan()
    let (request, signer) = (plan.request, plan.signer)
    let pending = try signer.prepare(request, as: key.identity, in: options.context)
    options.printExplanation(of: pending)
    let signed = try signer.signed(request, with: key, in: options.context)
    guard !output.json else {
      let url = "\(signed.scheme ?? "https")://\(signed.authority ?? "")\(signed.path ?? "/")"
      return Terminal.json(.object(options.json(signed.method, url, signed.headerFields, pending)))
    }
    for field in signed.headerFields {
      Terminal.exactLine("\(field.name.rawName): \(field.value)")
    }
  }
}

extension SigningOptions {
  /// Signs the request in each line of standard input, and prints one line of JSON for each request, in the same order.
  fileprivate static func signLines(_ mode: SigningJob.Mode) throws {
    var hasFailed = false
    while let line = readLine() {
      if line.isBlank { continue }
      let result = SignedLine(answering: line, defaultMode: mode, now: .now)
      hasFailed = hasFailed || result.error != nil
      Terminal.json(document: result.json)
    }
    if hasFailed { throw ExitCode.failure }
  }

  /// Returns the JSON object that describes a signed request, with the strings that it covers if `--explain` is set.
  fileprivate func json(
    _ method: HTTPRequest.Method, _ url: String, _ headers: HTTPFields, _ pending: PendingSignature
  ) -> JSONObject {
    var object: JSONObject = [
      "method": .string(method.rawValue), "url": .string(url),
      "headers": .array(headers.map { [.string($0.name.rawName), .string($0.value)] }),
    ]
    if explain {
      let mask = SecretMask([pending.identity.sessionToken].compactMap(\.self))
      object["canonicalRequest"] = .text(pending.canonicalRequest.map { mask.applied(to: $0) })
      object["stringToSign"] = .string(mask.applied(to: pending.stringToSign))
    }
    return object
  }
}

struct PresignCommand: AsyncParsableCommand, ReportingCommand {
  static let configuration = CommandConfiguration(
    commandName: "presign",
    abstract: "Prints a presigned URL, and the headers that it needs to standard error.",
    usage: "storage-auth presign [<method>] <url> [<options>]",
    discussion: """
      Examples:
        storage-auth presign oss://photos/cat.jpg --expires 1h --region cn-hangzhou
        storage-auth presign PUT oss://photos/cat.jpg -H 'Content-Type: image/jpeg'
        storage-auth presign GET https://photos.oss-cn-hangzhou.aliyuncs.com/cat.jpg
      """)

  @OptionGroup var options: SigningOptions

  @Option(help: ArgumentHelp("The lifetime of the URL: 600, 90s, 15m, 1h or 7d.", valueName: "duration"))
  var expires = DurationArgument(seconds: 3600)

  @OptionGroup(title: "Output") var output: OutputOptions

  func run() async throws {
    if options.jsonl { return try SigningOptions.signLines(.presign) }
    let (plan, key) = try await options.plan()
    let (request, signer) = (plan.request, plan.signer)
    let duration = Duration.seconds(expires.seconds)
    let pending = try signer.prepare(presigning: request, as: key.identity, validFor: duration, in: options.context)
    options.printExplanation(of: pending)
    let presigned = try signer.presign(request, with: key, validFor: duration, in: options.context)
    guard !output.json else {
      var object = options.json(presigned.method, presigned.url, presigned.headers, pending)
      object["expiration"] = .string(presigned.expiration.iso8601)
      return Terminal.json(.object(object))
    }
    Terminal.exactLine(presigned.url)
    for field in presigned.headers {
      Terminal.errorLines("Required header: \(field.name.rawName): \(field.value)")
    }
  }
}
