"""Cached attributes are computed once, and no thread waits for another's."""

import threading

from rrmlinear.core.cached import cached_property


class Counted:
    calls = 0

    @cached_property
    def value(self):
        """A number."""
        Counted.calls += 1
        return Counted.calls


def test_a_value_is_computed_once_for_each_instance():
    one, other = Counted(), Counted()
    assert (one.value, other.value, one.value, vars(other)) == (1, 2, 1, {"value": 2})
    assert Counted.value.__doc__ == "A number."
    one.value = 5
    assert one.value == 5


def test_instances_do_not_wait_for_each_other():
    begun, may_end = threading.Event(), threading.Event()

    class Slow:
        def __init__(self, waits):
            self.waits = waits

        @cached_property
        def value(self):
            if self.waits:
                begun.set()
                return may_end.wait(30)
            return 7

    thread = threading.Thread(target=lambda: Slow(True).value)
    thread.start()
    begun.wait(10)
    found = []
    other = threading.Thread(target=lambda: found.append(Slow(False).value))
    other.start()
    other.join(10)
    may_end.set()
    thread.join()
    assert found == [7]
