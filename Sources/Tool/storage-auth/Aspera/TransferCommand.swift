// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

internal import ArgumentParser
internal import AsperaClient
internal import Foundation
internal import StoragePrograms

struct TransferCommand: AsyncParsableCommand, ReportingCommand {
  static let configuration = CommandConfiguration(
    commandName: "transfer", abstract: "Carries out a transfer specification (transfer_spec) with ascp.",
    usage: "storage-auth aspera transfer <file> [<options>] [-- <ascp-argument> ...]",
    discussion: """
      Examples:
        storage-auth aspera transfer spec.json -- -l 100000 --overwrite=never

      The token, the password, the passphrase of the key and the password of encrypted files come from the \
      specification, or else from ASPERA_SCP_TOKEN, ASPERA_SCP_PASS and ASPERA_SCP_FILEPASS. A specification with only \
      a token uses the key that IBM's products install. After --, ascp receives these options: \
      \(AscpArguments.permittedOptions.joined(separator: ", ")).
      """)

  @Argument(help: .text("The file with the specification in JSON, or - for standard input.", value: "file"))
  var file: String

  @OptionGroup(title: "Account") var account: AccountOptions
  @Option(help: AsperaOptions.ascpHelp) var ascp: String?

  @Option(help: .text("The time between the starts of the processes of multi_session.", value: "seconds"))
  var startSpacing = 0

  @OptionGroup(title: "Output") var output: OutputOptions

  @Argument(parsing: .postTerminator, help: .text("Permitted options of ascp, after --.", value: "ascp-argument"))
  var additional: [String] = []

  func validate() throws {
    try AsperaOptions.startSpacings.require(startSpacing, of: "--start-spacing", " seconds")
    _ = try arguments()
  }

  func run() async throws {
    let context = try ProviderContext.commandLine()
    var specification = try SpecificationFile(file).specification
    try await account.complete(&specification, in: context)
    var options = AscpOptions()
    options.additional = try arguments()
    options.sessionSpacing = .seconds(startSpacing)
    let queue = TransferQueue(engine: try AscpEngine(program: ascp, options: options))
    try await printEvents(queue.run([TransferSession(specification)]))
  }

  private func arguments() throws -> AscpArguments {
    do throws(AsperaError) {
      return try AscpArguments(additional)
    } catch {
      throw ValidationError("\(error.message) \(error.remedy)")
    }
  }

  /// Prints the events of the transfer until its end, and throws its failure or the exit status for failed files.
  private func printEvents(_ events: TransferEvents) async throws {
    let bar = ProgressBar("transfer")
    var failedFileCount = 0
    var result: Result<TransferSummary, TransferFailure>?
    for await event in events {
      switch event.kind {
      // Each attempt transfers the files again that failed in the one before.
      case .willStartRunning: failedFileCount = 0
      case .progress(let progress): bar?.handler(.init(completed: progress.bytes, total: progress.totalBytes))
      case .file(let file):
        if output.json { printJSON(file) }
        if case .failed(let code, let text) = file.outcome {
          failedFileCount += 1
          Terminal.printError("\(file.file) was not transferred: \(code) \(text)")
        }
      case .retry(let retry):
        Terminal.printNote("\(retry.failure.message) The transfer is tried again in \(retry.delay).")
      case .finished(let outcome): result = outcome
      default: break
      }
    }
    bar?.finish()
    guard let summary = try result?.get() else { throw ExitCode.failure }
    Terminal.printResult(
      "\(summary.files) files, \(summary.bytes) bytes",
      ["files": .integer(summary.files), "bytes": .integer(summary.bytes)])
    if failedFileCount > 0 { throw ExitCode.failure }
  }

  private func printJSON(_ report: TransferFileReport) {
    var members: JSONObject = ["file": .string(report.file)]
    members["bytes"] = report.bytes.map { .integer($0) }
    switch report.outcome {
    case .done: members["result"] = "done"
    case .skipped: members["result"] = "skipped"
    case .failed(let code, let text):
      members["result"] = "failed"
      members["code"] = .integer(code)
      members["text"] = .string(text)
    }
    Terminal.printJSON(.object(members))
  }
}

struct SpecificationFile {
  /// The maximum size of a specification in bytes, enough for more than 100,000 paths.
  private static let byteLimit = 1 << 24
  private static let pieceByteCount = 1 << 16
  let specification: TransferSpec

  /// Reads a specification, and prints a warning if it contains a secret and other users can read the file.
  init(_ path: String) throws {
    guard path != "-" else {
      specification = try TransferSpec(json: Self.readStandardInput())
      return
    }
    let contents: FileContents
    do {
      contents = try SystemFiles().read(path, limit: Self.byteLimit)
    } catch FileReadError.tooLarge {
      throw Self.exitCode(forTooLarge: path)
    } catch {
      throw InputFile.exitCode(forUnreadable: path)
    }
    specification = try TransferSpec(json: contents.bytes)
    if specification.withoutSecrets != specification { SecretFile.warnIfReadableByOthers(contents, at: path) }
  }

  /// Reads standard input in pieces, so that an endless one is not read further than the limit.
  private static func readStandardInput() throws -> [UInt8] {
    var bytes: [UInt8] = []
    while true {
      guard let piece = try? FileHandle.standardInput.read(upToCount: pieceByteCount) ?? Data() else {
        throw InputFile.exitCode(forUnreadable: "-")
      }
      guard !piece.isEmpty else { return bytes }
      guard piece.count <= byteLimit - bytes.count else { throw exitCode(forTooLarge: "Standard input") }
      bytes.append(contentsOf: piece)
    }
  }

  private static func exitCode(forTooLarge name: String) -> ExitCode {
    InputFile.exitCode(
      afterPrinting: "\(name) is larger than \(byteLimit) bytes. Divide the paths among several specifications.")
  }
}
