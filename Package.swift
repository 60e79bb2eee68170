// swift-tools-version: 6.3
// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

import PackageDescription

/// Returns the names in a text, which are separated by spaces.
func names(_ text: String) -> [String] { text.split(separator: " ").map(String.init) }

/// A module of a layer: the modules that it imports besides what these import, and the products that it uses.
struct Module {
  let name: String
  let imports: [String]
  let products: [String]
  /// The traits of which each makes consumers fetch the packages of `products`; without one, the module's gate, a target
  /// in `Sources/Traits`, fails to compile with the line that is missing in a consumer's manifest.
  let traits: [String]
  let resources: [Resource]

  var gate: String? { traits.isEmpty ? nil : traits.joined(separator: "Or") + "Trait" }
  var isProgram: Bool { name.contains("-") }

  init(_ name: String, _ imports: String, _ products: String = "", _ traits: String = "", _ files: [Resource] = []) {
    (self.name, self.imports, self.products) = (name, names(imports), names(products))
    (self.traits, resources) = (names(traits), files)
  }
}

// The folders of `Sources`, from the bottom up, with their modules in the same order; a module may import only modules
// above its row. Tests compare the rows with the sources and with `Documentation/Internals/Architecture.md`.
let layers: KeyValuePairs<String, [Module]> = [
  "Core": [
    Module("StorageCrypto", "CLibcrypto CCommonCrypto CCarryless", "Crypto CryptoExtras"),
    Module("StorageAuth", "StorageCrypto HTTPTypes"),
    Module("StorageDiagnosis", "StorageAuth"),
    Module("CredentialSources", "StorageAuth"),
  ],
  "Providers": [
    Module("OSSAuth", "CredentialSources StorageDiagnosis"),
    Module("COSAuth", "CredentialSources StorageDiagnosis"),
    Module("S3Auth", "CredentialSources StorageDiagnosis"),
    Module("AsperaAuth", "CredentialSources CZlib"),
  ],
  "Client": [
    Module(
      "AsyncHTTPTransport", "StorageAuth", "AsyncHTTPClient NIOCore NIOHTTP1 NIOPosix NIOSSL SystemPackage", "Client"),
    Module("FoundationTransport", "StorageAuth"),
    Module("URLSessionDefault", "FoundationTransport"),
    Module(
      "StorageClient", "OSSAuth COSAuth S3Auth AsyncHTTPTransport FoundationTransport URLSessionDefault",
      "Logging NIOCore Subprocess SystemPackage", "Client URLSession", [.copy("PrivacyInfo.xcprivacy")]),
    Module("StorageBackground", "FoundationTransport StorageClient", "SystemPackage", "Client URLSession"),
    Module("AsperaTransfer", "AsperaAuth"),
    Module("StoragePrograms", "AsperaTransfer StorageClient", "NIOCore NIOPosix Subprocess SystemPackage", "Client"),
    Module("AsperaClient", "AsperaTransfer StorageClient StoragePrograms", "SystemPackage", "Client URLSession"),
    Module("StorageOperations", "AsperaTransfer", "CoreMetrics ServiceLifecycle Tracing", "Operations"),
  ],
  "Server": [
    Module(
      "StorageAuthServer", "OSSAuth AsperaAuth",
      "CoreMetrics Hummingbird HummingbirdCore HummingbirdHTTP2 Logging NIOCore NIOHTTP1 NIOHTTPTypes NIOSSL NIOTLS "
        + "ServiceLifecycle", "Server"),
    Module("StorageAuthRedis", "StorageAuthServer", "NIOCore NIOPosix NIOSSL", "Redis"),
  ],
  "Testing": [
    Module(
      "LocalCloud", "COSAuth S3Auth StorageAuthServer",
      "HummingbirdCore Logging NIOCore NIOHTTP1 NIOPosix _NIOFileSystem ServiceLifecycle SystemPackage", "Server"),
    Module("StorageAuthTesting", "StorageAuth"),
    Module("StorageClientTesting", "StorageAuthTesting StorageClient", "SystemPackage", "Client URLSession"),
    Module(
      "ascp-simulator", "AsperaAuth StorageClient", "NIOCore NIOPosix _NIOFileSystem SystemPackage", "CommandLine"),
  ],
  "Tool": [
    Module("SigningJobs", "OSSAuth COSAuth S3Auth"),
    Module("StorageConfiguration", "AsyncHTTPTransport LocalCloud StorageClient", "Configuration", "Configuration"),
    Module(
      "storage-auth",
      "AsperaClient StoragePrograms SigningJobs StorageAuthRedis StorageConfiguration StorageOperations",
      "ArgumentParser Configuration CoreMetrics Hummingbird Logging NIOCore ServiceLifecycle SystemPackage UnixSignals",
      "CommandLine", names("console.html console.css console.js views.js").map { .embedInCode("Console/Page/\($0)") }),
  ],
]
let modules = layers.flatMap(\.value)

/// The other packages, each with the oldest version, the traits and the products that are used.
let packages: [(name: String, owner: String, from: Version, traits: Set<Package.Dependency.Trait>, products: String)] =
  [
    ("swift-http-types", "apple", "1.8.0", [], "HTTPTypes"),
    ("swift-crypto", "apple", "4.5.2", [.defaults], "Crypto CryptoExtras"),
    ("swift-nio", "apple", "2.101.2", [.defaults], "NIOCore NIOEmbedded NIOHTTP1 NIOPosix NIOTLS _NIOFileSystem"),
    ("swift-nio-extras", "apple", "1.34.1", [.defaults], "NIOHTTPTypes"),
    ("swift-nio-ssl", "apple", "2.37.6", [.defaults], "NIOSSL"),
    ("swift-system", "apple", "1.8.1", [.defaults], "SystemPackage"),
    ("swift-log", "apple", "1.16.2", [.defaults], "Logging"),
    ("swift-metrics", "apple", "2.13.0", [.defaults], "CoreMetrics MetricsTestKit"),
    ("swift-distributed-tracing", "apple", "1.7.3", [.defaults], "InMemoryTracing Tracing"),
    ("swift-configuration", "apple", "1.4.0", [], "Configuration"),
    ("swift-argument-parser", "apple", "1.8.2", [.defaults], "ArgumentParser"),
    ("async-http-client", "swift-server", "1.37.0", [.defaults], "AsyncHTTPClient"),
    ("hummingbird", "hummingbird-project", "2.28.1", [], "Hummingbird HummingbirdCore HummingbirdHTTP2"),
    ("swift-service-lifecycle", "swift-server", "2.13.0", [.defaults], "ServiceLifecycle UnixSignals"),
    ("swift-subprocess", "swiftlang", "1.0.2", [], "Subprocess"),
  ]

/// Whether `STORAGE_AUTH_CRYPTO=CommonCrypto` replaces libcrypto, for tests on Linux, by what Apple's systems use.
let testsCommonCrypto = Context.environment["STORAGE_AUTH_CRYPTO"] == "CommonCrypto"

/// The systems on which programs can be started and SwiftNIO is the usual network, and those that have CommonCrypto.
let withPrograms: [Platform] = [.linux, .macOS]
let applePlatforms: [Platform] = [.macOS, .macCatalyst, .iOS, .tvOS, .watchOS, .visionOS]
let libcrypto: TargetDependencyCondition? = .when(platforms: [.linux, .android])
let commonCrypto: TargetDependencyCondition? = testsCommonCrypto ? nil : .when(platforms: applePlatforms)
let keys: TargetDependencyCondition? = .when(
  platforms: testsCommonCrypto ? [.linux] : applePlatforms, traits: ["PrivateKeys"])
let programsAndNIO: TargetDependencyCondition? = .when(platforms: withPrograms, traits: ["Client"])

// What a module uses on some systems, or with other traits than those of its row. A target has one condition for both:
// where a trait decides about FoundationTransport, URLSessionDefault brings it, which is built for nothing else.
let conditions: [String: [String: TargetDependencyCondition?]] = [
  "StorageCrypto": ["CLibcrypto": libcrypto, "CCommonCrypto": commonCrypto, "Crypto": keys, "CryptoExtras": keys],
  "StorageClient": [
    "AsyncHTTPTransport": programsAndNIO, "NIOCore": programsAndNIO, "Subprocess": programsAndNIO,
    "FoundationTransport": .when(platforms: [.macCatalyst, .iOS, .tvOS, .watchOS, .visionOS, .android]),
    "URLSessionDefault": .when(platforms: withPrograms, traits: ["URLSession"]),
  ],
  "AsperaClient": ["StoragePrograms": programsAndNIO],
]

/// Whether a module is in C; only the modules whose rows name it may import it.
func isInC(_ name: String) -> Bool { name.hasPrefix("CC") || ["CLibcrypto", "CZlib"].contains(name) }

/// Returns names with those of everything that they import without a condition.
func closure(of names: [String]) -> [String] {
  names.reduce(into: names) { found, name in
    let imports = modules.first { $0.name == name }?.imports ?? []
    let below = closure(of: imports.filter { conditions[name]?[$0] == nil && !isInC($0) })
    found += below.filter { !found.contains($0) }
  }
}

/// Returns the name of the package with a product, or `nil` if the name is not that of a product.
func package(of product: String) -> String? { packages.first { names($0.products).contains(product) }?.name }

/// The dependency on a product of another package, or on a module.
func dependency(_ name: String, _ condition: TargetDependencyCondition? = nil) -> Target.Dependency {
  guard let package = package(of: name) else { return .target(name: name, condition: condition) }
  return .product(name: name, package: package, condition: condition)
}

/// A row as a target, which fails to compile if its traits are off, with the line that is missing in a manifest.
func target(of module: Module, in layer: String) -> Target {
  let own = conditions[module.name] ?? [:]
  let imports = closure(of: module.imports).filter { !testsCommonCrypto || $0 != "CLibcrypto" }
  var needed = imports.map { dependency($0, own[$0] ?? nil) }
  needed += module.products.map { dependency($0, own[$0] ?? .when(traits: Set(module.traits))) }
  if testsCommonCrypto && own["CCommonCrypto"] != nil { needed.append(.target(name: "CommonCrypto")) }
  if let gate = module.gate { needed.append(.target(name: gate)) }
  let make = module.isProgram ? program : library
  return make(module.name, "Sources/\(layer)/\(module.name)", needed, module.resources)
}

/// Whether a target gets the package's API; what others could have built gets nothing but the public API.
func isInside(_ name: String) -> Bool {
  !names(
    "VerifiedService VerifiedServiceExample OBSProvider OBSProviderTests obs-sign PhotoApp PhotoAppTests aspera-grant"
  ).contains(name)
}

func library(_ name: String, _ path: String, _ needed: [Target.Dependency], _ resources: [Resource] = []) -> Target {
  .target(name: name, dependencies: needed, path: path, resources: resources, packageAccess: isInside(name))
}

func program(_ name: String, _ path: String, _ needed: [Target.Dependency], _ resources: [Resource] = []) -> Target {
  .executableTarget(name: name, dependencies: needed, path: path, resources: resources, packageAccess: isInside(name))
}

/// What tests, examples and benchmarks use: modules with what they import and the products of these, and products.
func uses(_ text: String = "") -> [Target.Dependency] {
  let targets = closure(of: names(text))
  let products = modules.filter { targets.contains($0.name) && $0.name != "StorageCrypto" }.flatMap(\.products)
  return Set(targets + products).sorted().map {
    dependency($0, package(of: $0) == nil || $0 == "HTTPTypes" ? nil : .when(traits: ["CommandLine"]))
  }
}

/// What most examples, and most tests of clients and servers, use.
let kit = "AsperaClient StoragePrograms AsyncHTTPTransport FoundationTransport LocalCloud"

/// A program that shows how something is used.
func example(_ name: String, _ more: String = "", _ resources: [Resource] = []) -> Target {
  program("\(name)Example", "Examples/\(name)Example", uses(kit + " ExampleSupport ArgumentParser " + more), resources)
}

/// The tests of a module, with the further modules and products that they use.
func tests(_ module: String, _ more: String = "", exclude: [String] = [], copying: [String] = []) -> Target {
  let tested = modules.contains { $0.name == module } ? module : ""
  return .testTarget(
    name: "\(module)Tests", dependencies: uses("\(tested) StorageAuthTesting \(more)"), path: "Tests/\(module)Tests",
    exclude: exclude, resources: copying.map { .copy($0) }, packageAccess: isInside("\(module)Tests"))
}

/// Whether the Swift Package Index builds the documentation.
let isDocumented = Context.environment["SPI_GENERATE_DOCS"] != nil

let hidden = names("StorageCrypto URLSessionDefault SigningJobs")
let libraries = modules.filter { !$0.isProgram && !hidden.contains($0.name) }.map(\.name)
let programs = modules.filter(\.isProgram).map(\.name)

let package = Package(
  name: "swift-storage-auth",
  platforms: [.macOS(.v14), .macCatalyst(.v16), .iOS(.v16), .tvOS(.v16), .watchOS(.v9), .visionOS(.v1)],
  products: libraries.map { .library(name: $0, targets: [$0]) } + programs.map { .executable(name: $0, targets: [$0]) },
  traits: [
    .trait(name: "PrivateKeys", description: "Private keys of AsperaAuth on Apple's systems, with swift-crypto."),
    .trait(name: "Client", description: "StorageClient over AsyncHTTPClient.", enabledTraits: ["PrivateKeys"]),
    .trait(name: "URLSession", description: "StorageClient over URLSession.", enabledTraits: ["PrivateKeys"]),
    .trait(name: "Server", description: "StorageAuthServer and LocalCloud.", enabledTraits: ["PrivateKeys"]),
    .trait(name: "Redis", description: "StorageAuthRedis, over SwiftNIO.", enabledTraits: ["Server"]),
    .trait(name: "Operations", description: "StorageOperations: metrics, traces and services."),
    .trait(name: "Configuration", description: "StorageConfiguration.", enabledTraits: ["Client", "Server"]),
    .trait(name: "CommandLine", description: "The tool.", enabledTraits: ["Configuration", "Operations", "Redis"]),
    .default(enabledTraits: isDocumented || Context.environment["STORAGE_AUTH_XCODE"] != nil ? ["CommandLine"] : []),
  ],
  targets: layers.flatMap { layer in layer.value.map { target(of: $0, in: layer.key) } }
)

package.targets += Set(modules.compactMap(\.gate)).sorted().map { library($0, "Sources/Traits/\($0)", []) }
package.targets += [
  .target(name: "CCarryless", path: "Sources/Core/CCarryless"),
  .systemLibrary(
    name: "CLibcrypto", path: "Sources/Core/CLibcrypto", pkgConfig: "libcrypto", providers: [.apt(["libssl-dev"])]),
  .systemLibrary(name: "CCommonCrypto", path: "Sources/Core/CCommonCrypto"),
  // Without the flags of pkg-config, which on a Mac would be those of another zlib than the one in Apple's SDKs.
  .systemLibrary(name: "CZlib", path: "Sources/Core/CZlib", providers: [.apt(["zlib1g-dev"])]),
]

let crypto = Target.target(name: "CommonCrypto", path: "Tests/CommonCrypto", linkerSettings: [.linkedLibrary("crypto")])
package.targets += testsCommonCrypto ? [crypto] : []

package.targets += names("OSS COS S3 Credentials RemoteSigning").map { example($0) }
// A program that depends on another one is built after it.
package.targets += names("Aspera AnyProvider AsperaOnCloud").map { example($0, "ascp-simulator") }
package.targets += [
  example("VerifiedService", "VerifiedService StorageAuthRedis UnixSignals"),
  example("FormUpload", "", [.embedInCode("page.html")]), example("TokenServer", "KeyServer"),
  library("ExampleSupport", "Examples/Support", uses("LocalCloud AsperaClient")),
  library("VerifiedService", "Examples/VerifiedService", uses("COSAuth StorageAuthServer")),
  library("KeyServer", "Examples/KeyServer", uses("COSAuth S3Auth AsyncHTTPTransport StorageAuthServer")),
  library("OBSProvider", "Examples/OBSProvider", uses("StorageClient")),
  library("PhotoApp", "Examples/iOSApp/PhotoApp", uses("StorageBackground")),
  program("obs-sign", "Tests/Interop/OBSSign", uses("OBSProvider StorageAuth")),
  program("aspera-grant", "Tests/Interop/AsperaGrant", uses("LocalCloud AsperaClient")),
  .target(name: "CAllocationCounter", path: "Benchmarks/CAllocationCounter"),
  .target(name: "CHashBlocks", dependencies: [dependency("CLibcrypto", libcrypto)], path: "Benchmarks/CHashBlocks"),
  .target(name: "CInstructionCounter", path: "Tests/CInstructionCounter"),
  program(
    "signing-benchmark", "Benchmarks/Signing", uses("OSSAuth COSAuth S3Auth CAllocationCounter CHashBlocks"),
    [.copy("workloads.json")]),
  program("transfer-benchmark", "Benchmarks/Transfer", uses(kit + " ArgumentParser Hummingbird")),
  program("fleet", "Benchmarks/Fleet", uses("StorageAuthTesting")),
  library("SigningProperties", "Tests/SigningProperties", uses("CredentialSources StorageAuthTesting")),
  library("ProcessWatching", "Tests/ProcessWatching", uses("StorageAuth")),
  library("ClientTestSupport", "Tests/ClientTestSupport", uses(kit)),
  library("LongRun", "Tests/LongRun/Core", uses("StorageClient LocalCloud StorageAuthTesting")),
  program("long-run", "Tests/LongRun/Program", uses("FoundationTransport LongRun StorageClient ArgumentParser")),
  library("LiveMatrix", "Tests/LiveMatrix/Core", uses(kit)),
  program(
    "live-matrix", "Tests/LiveMatrix/Program", uses(kit + " LiveMatrix ascp-simulator ArgumentParser UnixSignals")),
  library("SyncSimulation", "Tests/SyncSimulation/Core", uses("StorageClient")),
  program("sync-simulation", "Tests/SyncSimulation/Program", uses("SyncSimulation ArgumentParser")),
]

/// The tests that need no package besides swift-http-types and swift-crypto.
let coreTests: [Target] =
  [
    tests("StorageCrypto"), tests("SigningJobs"), tests("StorageAuth", "SigningProperties"),
    tests("S3Auth", "SigningProperties CAllocationCounter", copying: ["Vectors"]),
    tests("AsperaAuth", copying: ["Vectors", "Keys"]),
    tests("Redaction", "OSSAuth COSAuth S3Auth AsperaAuth", exclude: ["check-redaction-coverage.py"]),
  ] + names("OSSAuth COSAuth").map { tests($0, "SigningProperties SigningJobs", copying: ["Vectors"]) }
  + names("CredentialSources StorageAuthTesting").map { tests($0, "CredentialSources OSSAuth COSAuth S3Auth") }

package.targets += coreTests + names("Package StorageAuthRedis StorageClientTesting").map { tests($0) }
package.targets += names("StorageBackground StorageConfiguration StorageDiagnosis").map { tests($0, kit) }
package.targets += [
  tests("AsperaTransfer", "StoragePrograms ProcessWatching", exclude: ["Ascp/fake-ascp.py"]),
  tests("ServerRedaction", kit + " StorageAuthRedis"), tests("LocalCloud", "AsyncHTTPClient", copying: ["Vectors"]),
  tests("StorageClient", kit + " ClientTestSupport LongRun ProcessWatching StorageClientTesting"),
  tests("FoundationTransport", "AsyncHTTPTransport"), tests("StorageAuthTool", "storage-auth ClientTestSupport"),
  tests("AsperaClient", kit + " ClientTestSupport ProcessWatching StorageClientTesting"),
  tests("LiveMatrix", kit + " ClientTestSupport LiveMatrix live-matrix"),
  tests("PhotoApp", kit + " PhotoApp KeyServer"), tests("StorageOperations", kit + " InMemoryTracing MetricsTestKit"),
  tests("StorageAuthServer", kit + " VerifiedService MetricsTestKit NIOEmbedded", copying: ["Certificates"]),
  tests("OBSProvider", kit + " OBSProvider NIOEmbedded", copying: ["Vectors"]),
  tests("Reader", kit + " CInstructionCounter NIOEmbedded SigningJobs", exclude: ["Corpus", "Engine"]),
]

// `STORAGE_AUTH_FUZZ=1` makes the replay of the corpora a program that libFuzzer drives (`make fuzz`). Only the targets of
// this package are instrumented, so that the other packages need not be built again.
let isFuzzed = Context.environment["STORAGE_AUTH_FUZZ"] != nil
let instrumented = ["-sanitize=fuzzer,address"]
if isFuzzed {
  let fuzz = program(
    "storage-auth-fuzz", "Tests/ReaderTests", uses(kit + " NIOEmbedded SigningJobs StorageAuthTesting FuzzEngine"))
  fuzz.exclude = names(
    "Corpus CorpusTests.swift ComplexityTests.swift InstructionCounter.swift Engine/count.sh Engine/run.sh")
  package.targets.removeAll { $0.name == "ReaderTests" }
  package.targets += [.target(name: "FuzzEngine", path: "Tests/FuzzEngine"), fuzz]
  // gold, which is the default on Linux, ends with an internal error on the names that the address sanitizer makes.
  fuzz.linkerSettings = [.unsafeFlags(instrumented), .unsafeFlags(["-use-ld=lld"], .when(platforms: [.linux]))]
}

// The Swift Package Index documents targets only, so that the package's own catalogue needs one there. It depends on the
// libraries, so that its links to them resolve.
if isDocumented {
  package.targets.append(
    library("SwiftStorageAuth", "Documentation/SwiftStorageAuth", libraries.map { dependency($0) }))
}

// `STORAGE_AUTH_ONLY=OSSAuthTests,COSAuthTests` leaves only the named targets and what they depend on, so that one module's
// tests are built and run in seconds; `core` names the tests of the libraries without a network, which need no trait.
if let only = Context.environment["STORAGE_AUTH_ONLY"] {
  var kept = Set(only.split(separator: ",").flatMap { $0 == "core" ? coreTests.map(\.name) : [String($0)] })
  for target in package.targets.reversed() where kept.contains(target.name) {
    for case .targetItem(let name, _) in target.dependencies { kept.insert(name) }
  }
  package.targets.removeAll { !kept.contains($0.name) }
  package.products.removeAll { !kept.contains($0.name) }
}

var used: Set<String> = []
for case .productItem(let name, _, _, _) in package.targets.flatMap(\.dependencies) { used.insert(name) }
package.dependencies += packages.filter { !used.isDisjoint(with: names($0.products)) }.map {
  .package(url: "https://github.com/\($0.owner)/\($0.name)", from: $0.from, traits: $0.traits)
}

// Every target is built to the same rules; what ships has strict memory safety as well.
let defaults: [SwiftSetting] = [
  .define("STORAGE_AUTH_NIO", .when(platforms: withPrograms, traits: ["Client"])),
  .define("STORAGE_AUTH_URLSESSION", .when(platforms: withPrograms, traits: ["URLSession"])),
]
let features = "ExistentialAny InternalImportsByDefault MemberImportVisibility NonisolatedNonsendingByDefault"
let rules: [SwiftSetting] =
  [.swiftLanguageMode(.v6), .treatAllWarnings(as: .error)] + names(features).map { .enableUpcomingFeature($0) }
for target in package.targets where target.type != .system {
  let path = target.path ?? ""
  target.swiftSettings = path.hasPrefix("Sources/") ? rules + [.strictMemorySafety()] : rules
  if ["StorageClient", "AsperaClient"].contains(target.name) { target.swiftSettings? += defaults }
  if isFuzzed { target.swiftSettings? += [.unsafeFlags(instrumented)] }
}
