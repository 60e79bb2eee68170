import AcmeStorage
import StorageAuth
import StorageAuthTesting
import XCTest

final class AcmeStorageTests: XCTestCase {
  func testSignerAndVerifierConform() throws {
    let endpoint = try ServiceEndpoint("https://storage.acme.example.com", style: .path)
    let samples = try SampleMaker(
      endpoint: endpoint, bucket: "photos", parameters: ["versionId"], headers: ["content-type"]
    ).samples(count: 100)
    try SignerConformance(AcmeSigner(), samples: samples).report().throwIfFailed()
    try VerifierConformance(
      AcmeVerifier(), signer: AcmeSigner(), samples: samples, signedHeaders: ["content-type"]
    ).report().throwIfFailed()
  }
}
