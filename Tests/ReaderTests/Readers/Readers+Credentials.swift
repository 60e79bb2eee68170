// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

import COSAuth
import HTTPTypes
import OSSAuth
import S3Auth
import StorageAuth
import StorageAuthTesting

@testable import CredentialSources

/// Readers of credentials: services' responses, tools' files and programs' output.
extension Reader {
  static let credentials = [
    answer("alibaba-sts-answers") { transport, time in
      [
        AlibabaAssumeRoleProvider(
          roleARN: "acs:ram::1:role/r", sessionName: "fuzz", credentials: issuer
        ).bound(to: ProviderContext(transport: transport, time: time))
      ]
    },
    answer("tencent-sts-answers") { transport, time in
      [
        TencentAssumeRoleProvider(
          roleARN: "qcs::cam::uin/1:roleName/r", sessionName: "fuzz", credentials: issuer
        ).bound(to: ProviderContext(transport: transport, time: time)),
        TencentFederationProvider(
          name: "fuzz", policy: "{}", credentials: issuer
        ).bound(to: ProviderContext(transport: transport, time: time)),
      ]
    },
    answer("amazon-sts-answers") { transport, time in
      [
        AmazonAssumeRoleProvider(
          roleARN: "arn:aws:iam::1:role/r", sessionName: "fuzz", credentials: issuer
        ).bound(to: ProviderContext(transport: transport, time: time))
      ]
    },
    answer("metadata-answers") { transport, time in
      [
        AmazonInstanceMetadataProvider().bound(to: ProviderContext(transport: transport, time: time)),
        AlibabaInstanceMetadataProvider().bound(to: ProviderContext(transport: transport, time: time)),
        TencentInstanceMetadataProvider().bound(to: ProviderContext(transport: transport, time: time)),
      ]
    },
    answer("app-server-answers", growths: answerGrowths) { transport, time in
      [
        AppServerCredentialProvider("https://a.example/", format: .oss).bound(
          to: ProviderContext(transport: transport, time: time)),
        AppServerCredentialProvider("https://a.example/", format: .cos).bound(
          to: ProviderContext(transport: transport, time: time)),
        CredentialsURIProvider("https://a.example/").bound(to: ProviderContext(transport: transport, time: time)),
      ]
    },
    files, processOutput,
  ]

  private static let answerGrowths = Growths.bytes([
    "many tokens": { "{\(numbered(to: $0, separator: ",") { "\"token\($0)\":\"abcd\"" })}" },
    "tokens that are masks": {
      #"{"message":"redacted","a":[\#(repeated(#"{"token":"redacted"},"#, to: $0))1]}"#
    },
    "deep tokens": { repeated(#"{"token":"abcd","a":"#, to: $0) + "1" + repeated("}", to: $0 / 18) },
    "tokens that begin alike": { size in
      let value = String(repeating: "a", count: 200)
      return "{\(numbered(to: size, separator: ",") { "\"token\($0)\":\"\(value)\($0)\"" })}"
    },
    "a long token": { #"{"token":"\#(repeated("a", to: $0))"}"# },
    "many elements": { "<A>\(numbered(to: $0) { "<Token\($0)>abcd</Token\($0)>" })</A>" },
    "tokens of XML": { "<A>\(repeated("<Token>redacted</Token>", to: min($0, 4096)))\(repeated(" ", to: $0))</A>" },
  ]) { body in
    let answer = ServiceResponse(ReceivedResponse(response: HTTPResponse(status: .ok), body: body, masks: []))
    _ = answer.messageFilter.applied(to: String(decoding: body.prefix(4000), as: UTF8.self))
    _ = try? SettingTable(json: body, at: Samples.place)
    _ = answer.unreadableMessage
  }

  private static let issuer = StaticCredentialProvider(Samples.key)

  /// Returns a reader of a service's responses: the parts of the input between blank lines are the bodies of
  /// consecutive responses.
  private static func answer(
    _ name: String,
    growths: Growths = .none(because: "app-server-answers measures answers, json and xml measure documents"),
    _ providers:
      @escaping @Sendable (any HTTPTransport, any SigningClock) -> [any CredentialProvider<AccessKey>]
  ) -> Reader {
    Reader(name: name, growths: growths) { input, random in
      let bodies = text(input).split(separator: "\n\n", omittingEmptySubsequences: false).map { Array($0.utf8) }
      let status = random.once(in: 8) ? random.pick([100, 204, 301, 400, 403, 404, 429, 500, 503, 999]) : 200
      let time = ManualClock(now: Samples.now)
      var isTaken = false
      let count = providers(ScriptedTransport([]), time).count
      for index in 0..<count {
        let replies = bodies.map { HTTPStreamingResponse.status($0 == bodies.last ? status : 200, $0) }
        let provider = providers(ScriptedTransport(replies), time)[index]
        do {
          let issued = try await provider.issue(in: .local)
          try issued.credential.check()
          isTaken = true
        } catch {
          try requireNoSecret(in: "\(error)", of: [])
        }
      }
      return isTaken
    }
  }

  private static let files = Reader(
    name: "credential-files", growths: .none(because: "ini, yaml and json measure the files")
  ) { input, _ in
    let machine = machine(files: input)
    let providers: [any CredentialProvider<AccessKey>] = [
      ProfileCredentialProvider.alibabaCLIProfile().bound(to: machine),
      ProfileCredentialProvider.alibabaSharedProfile().bound(to: machine),
      ProfileCredentialProvider.ossSDKProfile().bound(to: machine),
      ProfileCredentialProvider.ossutilProfile().bound(to: machine),
      ProfileCredentialProvider.coscliProfile().bound(to: machine),
      ProfileCredentialProvider.coscmdProfile().bound(to: machine),
      ProfileCredentialProvider.tccliProfile().bound(to: machine),
      ProfileCredentialProvider.tencentProfile().bound(to: machine),
      ProfileCredentialProvider.amazonProfile().bound(to: machine),
    ]
    var isTaken = false
    for provider in providers {
      do {
        try await provider.credential().check()
        isTaken = true
      } catch {
        try requireNoSecret(in: "\(error)", of: [])
      }
    }
    return isTaken
  }

  private static let processOutput = Reader(
    name: "process-output", growths: .none(because: "app-server-answers and json measure what programs print")
  ) { input, _ in
    let machine = machine(output: input)
    var isTaken = false
    for format in [ProcessOutputFormat.alibabaCloud, .amazon] {
      do {
        try await ProcessCredentialProvider(["program"], format: format).bound(to: machine).credential().check()
        isTaken = true
      } catch {
        try requireNoSecret(in: "\(error)", of: [])
      }
    }
    return isTaken
  }

  /// Returns a context in which every file has the same bytes, every program prints the same output, and there is no
  /// network.
  private static func machine(files: [UInt8] = [], output: [UInt8] = []) -> ProviderContext {
    ProviderContext(
      environment: { _ in nil }, home: "/home/fuzz", files: SameFile(bytes: files), commands: SameOutput(bytes: output),
      transport: ScriptedTransport([]), time: ManualClock(now: Samples.now))
  }

  private struct SameFile: FileReader {
    let bytes: [UInt8]

    func read(_ path: String, limit: Int) throws(FileReadError) -> FileContents {
      guard bytes.count <= limit else { throw .tooLarge }
      return FileContents(bytes, permissions: 0o600)
    }
  }

  private struct SameOutput: CommandRunner {
    let bytes: [UInt8]

    func run(
      _ arguments: [String], environment: [String: String], timeout: Duration, outputLimit: Int
    ) async throws(CommandError) -> CommandResult {
      CommandResult(.exited(0), standardOutput: bytes, standardErrorLength: 0)
    }
  }
}
