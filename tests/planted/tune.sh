# SPDX-License-Identifier: BSD-3-Clause
# shellcheck shell=bash
#
# Faults that planted.sh plants in miniapp/tune/

fault "no overlap on CPUs either" miniapp/tune/choose.cpp \
  'site.device == Device::cpu || wanted' \
  'wanted'
fault "auto takes the last format" miniapp/tune/format_trials.cpp \
  'if (!wins) return;' \
  ''
fault "auto takes the format that suits the first rank" miniapp/tune/timing.cpp \
  'return slowest_seconds(with, batch, products) / static_cast<double>(batch.products);' \
  'return batch.seconds / static_cast<double>(batch.products);'
fault "each rank predicts for itself" miniapp/tune/format_trials.cpp \
  'max_over_ranks(comm, call + std::max(memory, serial) + gathers);' \
  'call + std::max(memory, serial) + gathers;' \
  test_miniapp_n2
fault "auto spends more than its budget" miniapp/tune/format_trials.cpp \
  'return budget_.allows(max_seconds_since(start_) + expected, best_->rounds.seconds);' \
  'return max_seconds_since(start_) <= 1e3 * budget_.seconds + 1;'
fault "a spent budget counts as ruled out" miniapp/tune/format_trials.cpp \
  'candidate.outcome = Outcome::budget_spent;' \
  'candidate.outcome = Outcome::skipped;' \
  test_miniapp_n1
fault "auto tries a rival of the quickest only where the budget lasts" miniapp/tune/format_trials.cpp \
  'if (!best_ || prospect.tried_anyway) return true;' \
  'if (!best_) return true;' \
  test_miniapp_n1
fault "auto takes every trial to be as dear as the dearest" miniapp/tune/format_trials.cpp \
  'usual * dearest_seconds_' \
  'dearest_seconds_'
fault "auto keeps nothing when it made room in vain" miniapp/tune/format_trials.cpp \
  'if (const auto refusal = make(*best_)) throw *refusal;' \
  'if (false) throw 0;'
fault "auto multiplies one x over and over" miniapp/tune/trial_vectors.hpp \
  'vectors_[k % 2]' \
  'vectors_[0]'
fault "auto gives up where memory lacks" miniapp/tune/format_trials.cpp \
  'refusal->cause() != Cause::memory || !best_ || made_room_) return refusal;' \
  'refusal->cause() == Cause::memory || !best_ || made_room_) return refusal;'
fault "auto drops a format for its boundary rows" miniapp/tune/format_trials.cpp \
  'if (!boundary_refusal || boundary_refusal->cause() == Cause::memory) return boundary_refusal;' \
  'if (true) return boundary_refusal;'
fault "auto tries the hopeless" miniapp/tune/format_trials.cpp \
  'if (times <= hopeless) return {};' \
  'if (true) return {};'
fault "auto begins with the worst" miniapp/tune/format_trials.cpp \
  'return a.predicted < b.predicted;' \
  'return a.predicted > b.predicted;'
fault "auto pays for conversions before it looks at CSR" miniapp/tune/format_trials.cpp \
  'return prospect.reads_csr && times_the_quickest(prospect) <= hopeless;' \
  'return prospect.reads_csr && false;'
fault "auto looks at CSR before the second most promising" miniapp/tune/format_trials.cpp \
  'list.begin() + promising' \
  'list.begin() + 1' \
  test_miniapp_n1
fault "auto tries early what is hopeless" miniapp/tune/format_trials.cpp \
  'return prospect.reads_csr && times_the_quickest(prospect) <= hopeless;' \
  'return prospect.reads_csr;' \
  test_miniapp_n1
fault "auto waits for what is far behind" miniapp/tune/format_trials.cpp \
  'if (is_far()) return;' \
  ''
fault "split takes formats with the bits of csr" miniapp/tune/choose.cpp \
  'if (!format.canonical) return;' \
  'return;' \
  cli_schedules
fault "transports are tried where nothing is exchanged" miniapp/tune/choose.cpp \
  'variants = {kept};' \
  '' \
  cli_schema
fault "10 million nonzeros are many already" miniapp/tune/trials.hpp \
  'most_entries > many_entries' \
  'most_entries >= many_entries' \
  test_miniapp_n1
fault "products are timed on the user's x" miniapp/tune/products.cpp \
  '  set_timed_x();
' \
  '  restart();
'
fault "ghosts of the first vector only are compared" miniapp/tune/products.cpp \
  'for (const HaloVector& vector : vectors_) {
    for_each_exchanged(vector, [&]' \
  'for (const HaloVector& vector : {vectors_[0]}) {
    for_each_exchanged(vector, [&]'
fault "ghosts are compared with the owned entries" miniapp/tune/products.cpp \
  'ghosts_equal(one, {x.at(vector.owned, k), x.shape})' \
  'ghosts_equal(one, {x.at(0, k), x.shape})'
fault "another y than the timed one is checked" miniapp/tune/products.cpp \
  'sequence_->run(products);' \
  'if (setting_.stream.handle == nullptr) apply(0);'
fault "auto takes a transport that leaves wrong ghosts" miniapp/tune/transport_trials.cpp \
  'if (!attempt->products->ghosts_arrive()) {' \
  'if (!attempt->products->ghosts_arrive() && attempt->rounds.iterations < 0) {'
fault "auto keeps the slowest transport" miniapp/tune/transport_trials.cpp \
  'wins = faster == Faster::second;' \
  'wins = faster != Faster::second;'
fault "a transport without room ends the job" miniapp/tune/transport_trials.cpp \
  '    } catch (const AgreedError& refusal) {
      candidate.outcome = outcome_of(refusal);' \
  '    } catch (const InputError& refusal) {
      candidate.outcome = Outcome::refused;'
fault "failures beside the host's calls are not looked for" miniapp/tune/timing.cpp \
  '    products.check();
    if (batch.products >= iterations) return batch;' \
  '    if (batch.products >= iterations) return batch;'
