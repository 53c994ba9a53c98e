import pytest
from gavelport_server.referee.clock import SeatClock
from gavelport_server.referee.report import ClockSetting
from hypothesis import given
from hypothesis import strategies as st

SETTING = ClockSetting(bank_ms=1_000, increment_ms=200, cap_ms=900, allowance_ms=100)


@pytest.mark.parametrize(
    ("elapsed_s", "charged_ms"),
    [
        (0.0, 0),
        (0.1, 0),  # all of it the network's
        (0.1009, 0),  # parts of a millisecond are not charged
        (0.102, 2),
        (0.5, 400),
        (0.9999, 899),
        (1.0, 900),  # the cap
        (7.0, 900),  # never more than the limit
    ],
)
def test_what_a_decision_is_charged(elapsed_s: float, charged_ms: int) -> None:
    clock = SeatClock(SETTING)
    clock.start(0.0)
    assert clock.stop(elapsed_s) == charged_ms
    assert clock.bank_ms == 1_200 - charged_ms


def test_cap_bank_and_increment_bound_a_decision() -> None:
    clock = SeatClock(SETTING)
    limits = []
    for number in range(5):
        clock.start(10.0 * number)
        limits.append(clock.limit_ms)
        assert clock.time_ms() == clock.limit_ms + 100
        assert clock.deadline_s == pytest.approx(10.0 * number + clock.time_ms() / 1000)
        assert clock.run_out() == clock.limit_ms
    assert limits == [900, 500, 200, 200, 200]


def test_the_deadline_is_the_first_instant_that_is_late() -> None:
    clock = SeatClock(SETTING)
    clock.start(5.0)
    assert not clock.is_over(5.9999)
    assert clock.is_over(6.0)
    assert clock.left_ms(5.0) == 1000
    assert clock.left_ms(5.7504) == 249
    assert clock.left_ms(9.0) == 0


settings = st.builds(
    ClockSetting,
    bank_ms=st.integers(0, 100_000),
    increment_ms=st.integers(0, 5_000),
    cap_ms=st.integers(0, 20_000),
    allowance_ms=st.integers(0, 1_000),
)


@given(settings, st.lists(st.floats(0, 100), max_size=20), st.floats(0, 1e6))
def test_the_books_balance(setting: ClockSetting, delays_s: list[float], now: float) -> None:
    clock = SeatClock(setting)
    charged_ms = 0
    for number, delay_s in enumerate(delays_s, 1):
        clock.start(now)
        assert 0 <= clock.limit_ms <= min(setting.cap_ms, clock.bank_ms)
        now += delay_s
        charged = clock.run_out() if clock.is_over(now) else clock.stop(now)
        assert 0 <= charged <= clock.limit_ms
        assert charged <= delay_s * 1000 + 1  # nobody pays for time that did not pass; 1 ms for the floats
        charged_ms += charged
        assert clock.bank_ms == setting.bank_ms + number * setting.increment_ms - charged_ms >= 0
