// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

internal import ArgumentParser
internal import StorageAuth
internal import StorageClient

/// A run of the transfers of `cp`, `mv` or `cat`, with its output.
struct CopyRun {
  var plan: CopyPlan
  let output: OutputOptions
  /// The number of concurrent transfers, or `nil` for the default.
  var parallel: Int?
  var stopsAtFailure = false

  /// Transfers all sources to the last of the locations.
  mutating func run(_ arguments: [String]) async throws {
    let locations = try arguments.map { try Location($0) }
    guard let destination = locations.last else { return }
    var transfers: [ObjectTransfer] = []
    for source in locations.dropLast() {
      let transfer = try await plan.transfer(source, to: destination)
      let isReported = output.json && destination != .standardStream
      transfers.append(isReported ? transfer.reported(as: plan.moves ? "move" : "copy") : transfer)
    }
    guard transfers.count > 1 else {
      for transfer in transfers {
        let bar = destination == .standardStream ? nil : ProgressBar(transfer.name)
        defer { bar?.finish() }
        try await transfer.run(progress: bar?.handler)
      }
      return
    }
    let isAspera = locations.contains(where: \.isAspera)
    let pipeline = TransferPipeline(
      transfersInFlight: parallel ?? TreeTransfer.defaultConcurrency(isAspera: isAspera),
      stopsAtFailure: stopsAtFailure)
    let bar = ProgressBar("\(transfers.count) objects")
    let report = try await pipeline.run(transfers, progress: bar?.pipelineHandler)
    bar?.finish()
    try show(report, notCopied: transfers.count - report.completedObjects - report.failedObjects)
  }

  private func show(_ report: PipelineReport, notCopied: Int) throws {
    SyncOutput().show(report.failures.map { ($0.name, $0.error) })
    if output.json {
      Terminal.json([
        "summary": [
          "copied": .number(JSONNumber(report.completedObjects)), "failed": .number(JSONNumber(report.failedObjects)),
          "notCopied": .number(JSONNumber(notCopied)),
        ]
      ])
    }
    guard !report.isComplete else { return }
    if !output.json {
      Terminal.standardErrorLines(
        "\(report.completedObjects) copied, \(report.failedObjects) failed, \(notCopied) not copied")
    }
    throw ExitCode.failure
  }
}

extension ObjectTransfer {
  /// Returns the transfer, which prints a line of JSON when it is complete.
  fileprivate func reported(as action: String) -> ObjectTransfer {
    ObjectTransfer(name, byteCount: byteCount) { progress in
      try await run(progress: progress)
      let bytes = byteCount.map { JSONValue.number(JSONNumber($0)) } ?? .null
      Terminal.json(["action": .string(action), "path": .string(name), "bytes": bytes])
    }
  }
}
