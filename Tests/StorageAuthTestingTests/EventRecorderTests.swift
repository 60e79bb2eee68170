// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

import StorageAuth
import StorageAuthTesting
import XCTest

/// The event recorder for tests: order, kinds and stopping.
final class EventRecorderTests: XCTestCase {
  func testEventsAreRecordedInOrderAndByKind() async {
    let events = EventHub()
    let recorder = EventRecorder(events)
    let refresh = AuthEvent.Refresh(source: "vault", outcome: .started)
    let retry = AuthEvent.Retry(subject: "GET a", attempt: 2, delay: .seconds(1), reason: "It was busy.")
    let skew = AuthEvent.Skew(host: "a.example.com", offset: .seconds(-3))
    let transfer = AuthEvent.Transfer(subject: "upload a", bytes: 1, duration: .seconds(1), failure: nil)
    Task {
      for event in [AuthEvent.refresh(refresh), .retry(retry), .skew(skew), .transfer(transfer)] { events.emit(event) }
    }
    await recorder.wait(forEvents: 4)
    XCTAssertEqual(recorder.events.count, 4)
    XCTAssertEqual(recorder.refreshes, [refresh])
    XCTAssertEqual(recorder.retries, [retry])
    XCTAssertEqual(recorder.skews, [skew])
    XCTAssertEqual(recorder.transfers, [transfer])
    XCTAssertEqual(recorder.signatures, [])
  }

  func testStopEndsRecording() {
    let events = EventHub()
    let recorder = EventRecorder(events)
    recorder.stop()
    events.emit(.refresh(AuthEvent.Refresh(source: "vault", outcome: .started)))
    XCTAssertEqual(recorder.events.count, 0)
  }
}
