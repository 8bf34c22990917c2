// SPDX-License-Identifier: BSD-3-Clause
//
// A double of NVIDIA's management library, as far as the program calls it, of a host with three
// GPUs, of which the first two are joined by NVLink. By place every GPU is known but those of
// domain ffff; each is held down by the power cap to 1425 MHz in every other look at its clock,
// takes 1000 J between two looks at its energy, and does not tell the clock of its memory.
#include <atomic>
#include <cstring>

namespace {

constexpr int success = 0, not_supported = 3, not_found = 6;
std::atomic<unsigned> looks{0};
std::atomic<unsigned long long> millijoules{0};

}  // namespace

extern "C" {

int nvmlInit_v2() {
  return success;
}
int nvmlShutdown() {
  return success;
}
const char* nvmlErrorString(int status) {
  return status == not_found ? "Not Found" : "Unknown Error";
}
int nvmlDeviceGetHandleByPciBusId_v2(const char* pci_id, void** device) {
  *device = nullptr;
  return std::strncmp(pci_id, "ffff", 4) == 0 ? not_found : success;
}
int nvmlDeviceGetClockInfo(void*, unsigned kind, unsigned* mhz) {
  if (kind != 1) return not_supported;
  *mhz = looks++ % 2 == 0 ? 1980 : 1425;
  return success;
}
int nvmlDeviceGetMaxClockInfo(void*, unsigned, unsigned* mhz) {
  *mhz = 1980;
  return success;
}
int nvmlDeviceGetPowerUsage(void*, unsigned* milliwatts) {
  *milliwatts = 612500;
  return success;
}
int nvmlDeviceGetEnforcedPowerLimit(void*, unsigned* milliwatts) {
  *milliwatts = 700000;
  return success;
}
int nvmlDeviceGetTemperature(void*, unsigned, unsigned* celsius) {
  *celsius = 61;
  return success;
}
int nvmlDeviceGetCurrentClocksThrottleReasons(void*, unsigned long long* reasons) {
  *reasons = looks % 2 == 1 ? 0x4 | 0x2 : 0x1;
  return success;
}
int nvmlDeviceGetTotalEnergyConsumption(void*, unsigned long long* energy) {
  *energy = millijoules += 1000000;
  return success;
}
int nvmlSystemGetDriverVersion(char* text, unsigned) {
  std::strcpy(text, "999.1");
  return success;
}
int nvmlDeviceGetCount_v2(unsigned* count) {
  *count = 4;
  return success;
}
// Handles 1 to 3; the fourth GPU is not ours.
int nvmlDeviceGetHandleByIndex_v2(unsigned index, void** device) {
  *device = reinterpret_cast<void*>(static_cast<std::size_t>(index + 1));
  return index < 3 ? success : not_found;
}
int nvmlDeviceGetName(void*, char* name, unsigned) {
  std::strcpy(name, "NVIDIA Double");
  return success;
}
int nvmlDeviceGetPciInfo_v3(void* device, void* info) {
  const unsigned place[3] = {0, 0x10 * static_cast<unsigned>(reinterpret_cast<std::size_t>(device)),
                             0};
  std::memcpy(static_cast<char*>(info) + 16, place, sizeof(place));
  return success;
}
int nvmlDeviceGetMemoryInfo(void*, unsigned long long* total_free_used) {
  total_free_used[0] = 1ull << 40;
  return success;
}
int nvmlDeviceGetP2PStatus(void* a, void* b, unsigned, int* status) {
  const auto sum = reinterpret_cast<std::size_t>(a) + reinterpret_cast<std::size_t>(b);
  *status = sum == 3 ? 0 : 1;
  return success;
}
int nvmlDeviceGetTopologyCommonAncestor(void*, void*, int* level) {
  *level = 50;
  return success;
}
}
