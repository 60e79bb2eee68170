// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

internal import ServiceLifecycle
internal import StorageAuth
internal import UnixSignals

/// A service that reads the files of a token server again when the process receives SIGHUP.
struct ReloadService: Service {
  let callers: CallerFile
  /// The certificate, or `nil` if the server speaks HTTP.
  let certificate: CertificateFiles?
  private let signals: UnixSignalsSequence

  /// Creates the service, after which SIGHUP no longer ends the process.
  init(_ callers: CallerFile, _ certificate: CertificateFiles?) async {
    self.callers = callers
    self.certificate = certificate
    signals = await UnixSignalsSequence(trapping: .sighup)
  }

  func run() async {
    for await _ in signals.cancelOnGracefulShutdown() {
      reload("callers") { try callers.reload() }
      if let certificate { reload("certificate") { try certificate.reload() } }
    }
  }

  private func reload(_ subject: String, _ body: () throws -> Void) {
    let time = Timestamp.now.iso8601
    do {
      try body()
      Terminal.note("\(time) reloaded the \(subject)")
    } catch {
      Terminal.note("\(time) kept the previous \(subject): \(error)")
    }
  }
}
