// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

internal import ArgumentParser
internal import HTTPTypes
internal import SigningJobs
internal import StorageAuth

struct SignCommand: AsyncParsableCommand, ReportingCommand {
  static let configuration = CommandConfiguration(
    commandName: "sign", abstract: "Signs a request in its headers and prints the headers to send.",
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
    let pending = try plan.signer.prepare(plan.request, as: key.identity, in: options.context)
    options.printExplanation(of: pending)
    let signed = try plan.signer.signed(plan.request, with: key, in: options.context)
    guard !output.json else {
      let url = "\(signed.scheme ?? "https")://\(signed.authority ?? "")\(signed.path ?? "/")"
      return Terminal.printJSON(.object(options.json(signed.method, url, signed.headerFields, pending)))
    }
    for field in signed.headerFields { Terminal.printExactLine("\(field.name.rawName): \(field.value)") }
  }
}

extension SigningOptions {
  /// Signs the request in each line of standard input, and prints a line of JSON for each of them.
  fileprivate static func signLines(_ mode: SigningJob.Mode) throws {
    var hasFailed = false
    while let line = readLine() {
      if line.isBlank { continue }
      let result = SignedLine(answering: line, defaultMode: mode, now: .now)
      hasFailed = hasFailed || result.error != nil
      Terminal.printJSON(document: result.json)
    }
    if hasFailed { throw ExitCode.failure }
  }

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
    commandName: "presign", abstract: "Prints a presigned URL, and the headers that it needs to standard error.",
    usage: "storage-auth presign [<method>] <url> [<options>]",
    discussion: """
      Examples:
        storage-auth presign oss://photos/cat.jpg --expires 1h --region cn-hangzhou
        storage-auth presign PUT oss://photos/cat.jpg -H 'Content-Type: image/jpeg'
        storage-auth presign GET https://photos.oss-cn-hangzhou.aliyuncs.com/cat.jpg
      """)

  @OptionGroup var options: SigningOptions

  @Option(help: .text("The lifetime of the URL: 600, 90s, 15m, 1h or 7d.", value: "duration"))
  var expires = Self.defaultLifetime

  @OptionGroup(title: "Output") var output: OutputOptions

  private static let defaultLifetime = DurationArgument(seconds: 3600)

  func validate() throws {
    guard !options.jsonl || expires.seconds == Self.defaultLifetime.seconds else {
      throw SigningOptions.errorForLines("--expires")
    }
  }

  func run() async throws {
    if options.jsonl { return try SigningOptions.signLines(.presign) }
    let (plan, key) = try await options.plan()
    let duration = Duration.seconds(expires.seconds)
    let pending = try plan.signer.prepare(
      presigning: plan.request, as: key.identity, validFor: duration, in: options.context)
    options.printExplanation(of: pending)
    let presigned = try plan.signer.presign(plan.request, with: key, validFor: duration, in: options.context)
    guard !output.json else {
      var object = options.json(presigned.method, presigned.url, presigned.headers, pending)
      object["expiration"] = .string(presigned.expiration.iso8601)
      return Terminal.printJSON(.object(object))
    }
    Terminal.printExactLine(presigned.url)
    for field in presigned.headers {
      Terminal.printErrorLines("Required header: \(field.name.rawName): \(field.value)")
    }
  }
}
